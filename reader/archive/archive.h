/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills a capture's own folder of symbols (common/directory/symbols_folder.h).
 *
 *	archive_open()      makes CAPTURE/symbols/, unless it exists
 *	archive_module()    adds the files of one module: object, debug file, kallsyms, map
 *
 * A file gets its name when it is whole and on the disk; a killed command leaves a temporary file,
 * which the next one replaces. An existing file is replaced only by a longer one, since it may come
 * from a machine that had more. If another such folder has a file with the same bytes, the new file
 * becomes a link to it.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_ARCHIVE_ARCHIVE_H
#define TS_READER_ARCHIVE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/directory/directory.h"
#include "reader/symbols/module.h"

struct archive_plan {
	bool with_lines; /* also the files that source lines are read from */
	bool is_whole;	 /* files as they are, even debug files */
	/* Folders that may have equal files; they must outlive the archive. */
	const int *others;
	size_t nr_others;
	int store; /* the one of them that gets files that it lacks; -1: none */
};

struct archive {
	struct archive_plan plan;
	int fd;
	const char *path; /* of the folder; owned by the caller */
	unsigned int nr_files;
	uint64_t bytes, shared_bytes; /* bytes of all files; of those that are links */
};

/*
 * Returns 0, or -errno if the folder cannot be made. path and the arrays of *plan must outlive *a.
 */
int archive_open(struct archive *a, const char *path, const struct archive_plan *plan,
		 struct ts_error *err);
void archive_close(struct archive *a); /* idempotent after archive_open() */
/*
 * Brings the files of the folder `from` of a capture (NULL: it has none) into a capture that is
 * being made from it. Files become links if possible.
 */
int archive_carry(const char *from, const struct ts_dir *to, struct ts_error *err);
/*
 * Returns 0; 1 with *err if the module's files are not on this machine; -errno if a file cannot be
 * written.
 */
int archive_module(struct archive *a, const struct module *m, struct ts_error *err);

#endif
