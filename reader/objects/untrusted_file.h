/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that a recorded process wrote about itself, in a folder where any user can write.
 *
 * Places that are searched, in this order:
 * - the capture's own folder of symbols;
 * - below --symfs;
 * - the root of the process while it lives (/proc/PID/root, where it may have another number);
 * - the path that the process used.
 *
 * A file in any other place than the first must be a regular file and no link. It must belong to
 * root, to this user, or to the user of the process.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_READER_OBJECTS_UNTRUSTED_FILE_H
#define TS_READER_OBJECTS_UNTRUSTED_FILE_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "reader/objects/harmless.h"
#include "reader/objects/symbol_places.h"

#define UNTRUSTED_FILE_ANYBODY ((uid_t)-1)

struct untrusted_file {
	uint32_t pid;
	const char *archived; /* its name in the capture's folder */
	const char *path;     /* in the process's root; "%u" stands for its number there */
};

struct untrusted_file_place { /* where a file is, and how to open it */
	char path[PATH_MAX];
	struct harmless how;
};

/*
 * Opens the file; *ret gets its place. search->trail gets the failures of earlier places. NULL:
 * *err has the reason why the last place failed, or why it is not known whether the process lives.
 */
FILE *untrusted_file_find(const struct untrusted_file *wanted, const struct symbol_search *search,
			  struct untrusted_file_place *ret, struct ts_error *err);
/*
 * Opens the file at `path`. Besides root and this user, `owner` may own it; UNTRUSTED_FILE_ANYBODY:
 * any user may.
 */
FILE *untrusted_file_open(const char *path, uid_t owner, const struct harmless *how,
			  struct ts_error *err);

#endif
