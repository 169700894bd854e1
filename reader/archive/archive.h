/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture's own folder of symbols (common/directory/symbols_folder.h), filled.
 *
 *	archive_open()      CAPTURE/symbols/, made where it is not there
 *	archive_module()    what one module is read from: object, debug file, kallsyms, map
 *
 * A file gets its name when it is whole and on the disk; who is killed leaves a file that the next one replaces. One that
 * stands there already is replaced by a longer one only, since it may be of a machine that had more. A file that stands in
 * another such folder with the same bytes becomes a link to that one.
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
	bool with_lines; /* with what source lines are read from */
	bool is_whole;	 /* files as they are, debug files too */
	/* Folders where equal files may stand; they outlive the archive. */
	const int *others;
	size_t nr_others;
	int store; /* one of them that gets what it has not; -1: none */
};

struct archive {
	struct archive_plan plan;
	int fd;
	const char *path; /* of the folder; it is the caller's */
	unsigned int nr_files;
	uint64_t bytes, shared_bytes; /* of the files; of those that are links */
};

/* -errno: the folder cannot be made. What is given outlives it. */
int archive_open(struct archive *a, const char *path, const struct archive_plan *plan,
		 struct ts_error *err);
void archive_close(struct archive *a); /* idempotent after archive_open() */
/*
 * The files of another capture's folder `from` (NULL: it has none), for one that is being made of it; they are links where
 * that can be.
 */
int archive_carry(const char *from, const struct ts_dir *to, struct ts_error *err);
/* 1: what it is read from is not here, which *err tells; -errno: it cannot be written. */
int archive_module(struct archive *a, const struct module *m, struct ts_error *err);

#endif
