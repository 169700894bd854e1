/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is made beside its name, as PATH.new, and renamed once it is complete. So a kill at
 * any moment leaves the old file or the new one at PATH. It is locked meanwhile (flock): what a
 * killed command has left there is not.
 *
 * Threads: one owner at a time.
 */
#ifndef TS_READER_COMMANDS_BESIDE_FILE_H
#define TS_READER_COMMANDS_BESIDE_FILE_H

#include <stdbool.h>

#include "common/base/error.h"

struct beside_file {
	char *beside; /* owned: PATH.new while it exists; else NULL */
	int fd;	      /* open for reading and writing; -1: none */
};

#define BESIDE_FILE_NONE                                                                           \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/*
 * Creates PATH.new, for its owner only (0600). An older one is removed first if no process holds it, it
 * is a file of this user, and is_ours() says that a killed command may have left it; else -EEXIST.
 */
int beside_file_create(struct beside_file *f, const char *path,
		       bool (*is_ours)(const char *beside, int fd), struct ts_error *err);
/* Syncs and renames it to PATH, whose old file is replaced if `replaces`; otherwise -EEXIST. */
int beside_file_publish(struct beside_file *f, const char *path, bool replaces,
			struct ts_error *err);
void beside_file_release(struct beside_file *f); /* removes what was not published; idempotent */

#endif
