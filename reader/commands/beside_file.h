/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is made beside its name, as PATH.new, and renamed once it is complete. So a kill at
 * any moment leaves the old file or the new one at PATH.
 *
 * PATH.new is locked (flock) from its making to its end. One without a lock was left by a killed
 * command. Only a process that holds this lock takes the name PATH.new away, so two commands never
 * publish or remove each other's file.
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

/* How something is made beside its name: a file, or a directory as result_folder.c has it. */
struct beside_maker {
	int (*make)(const char *beside); /* for its owner only; a descriptor, or -1 with errno */
	int (*open)(const char *beside); /* what is there: a descriptor, or less than 0 */
	/*
	 * Removes an older one, which is locked now, if a killed command may have left it. The last step
	 * takes its name away.
	 */
	bool (*remove_left)(const void *asker, const char *beside, int fd);
	const void *asker;
};

/* Adds what helps to the error of a place where no file can be made. Returns -err->code. */
int beside_file_hint(struct ts_error *err);
/*
 * Makes PATH.new. *f is BESIDE_FILE_NONE. An older PATH.new is removed first if no process holds it, it is
 * of this user, and a killed command may have left it. Otherwise -EEXIST.
 */
int beside_file_make(struct beside_file *f, const char *path, const struct beside_maker *maker,
		     struct ts_error *err);
/*
 * Creates PATH.new as a file, for its owner only (0600). is_left() says of a descriptor
 * that a killed command may have left it.
 */
int beside_file_create(struct beside_file *f, const char *path,
		       bool (*is_left)(const char *beside, int fd), struct ts_error *err);
/*
 * Syncs and renames it to PATH, whose old file is replaced if `replaces`; otherwise -EEXIST, except
 * on a filesystem that cannot tell, which replaces it. -EBUSY: PATH.new is another file by now.
 */
int beside_file_publish(struct beside_file *f, const char *path, bool replaces,
			struct ts_error *err);
void beside_file_release(struct beside_file *f); /* removes what was not published; idempotent */

/* Does the name still stand for the open file? */
bool beside_file_is_at(int fd, const char *name);
/* Syncs the parent directory: a name must reach the disk like its file. */
void beside_file_sync_parent(const char *path);

#endif
