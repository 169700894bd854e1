/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that a recorded process wrote about itself, into a folder where anybody can write.
 *
 * It is looked for in the capture's own folder of symbols, below --symfs, in the root of the process while it
 * lives (/proc/PID/root, where it may have another number), then where the process says. But for the first it
 * must belong to root, to this user, or to the user whom the process runs as, be a regular file, and no link.
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

struct untrusted_file_place { /* where one is, and how it is opened */
	char path[PATH_MAX];
	struct harmless how;
};

/*
 * Opens it; *ret is where it is. What was tried before is told to search->trail. NULL: *err tells why the
 * last place will not do.
 */
FILE *untrusted_file_find(const struct untrusted_file *wanted, const struct symbol_search *search,
			  struct untrusted_file_place *ret, struct ts_error *err);
/* Opens the one at `path`, which may be of `owner`, or of UNTRUSTED_FILE_ANYBODY. */
FILE *untrusted_file_open(const char *path, uid_t owner, const struct harmless *how,
			  struct ts_error *err);

#endif
