/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result of several files: a directory that is made beside its name, as DIR.new, and shown when all of
 * its files are complete.
 *
 *	result_folder_open()     before the capture is read: a wrong name is told at once
 *	result_folder_create()   a file in it: result_file_write() ..., result_folder_complete()
 *	result_folder_publish()
 *
 * An older directory is replaced if all it holds are files of these names with a true mark
 * (result_mark.h), by --force whatever the files hold. A directory with anything else always stays.
 *
 * DIR.new is locked (flock) from its making to its end, as beside_file.h does it.
 *
 * Threads: one owner at a time.
 */
#ifndef TS_READER_COMMANDS_RESULT_FOLDER_H
#define TS_READER_COMMANDS_RESULT_FOLDER_H

#include "reader/commands/result_file.h"

struct result_folder {
	char *path;		  /* owned: without '/' at its end; for errors, too */
	struct beside_file made;  /* DIR.new */
	const char *const *files; /* the names of all that it may hold; ends with NULL */
	bool is_forced;
	bool existed;	 /* a directory was at the path: */
	struct stat old; /* that directory */
};

#define RESULT_FOLDER_NONE                                                                         \
	{                                                                                          \
		.made = BESIDE_FILE_NONE                                                           \
	}

/*
 * Creates DIR.new, for its owner only (0700). `files` must outlive *f. -EEXIST: what is there is not
 * replaced, such as a mount point, or another command makes the same result; -EINVAL: the path is "-" or
 * names no directory, as "." does.
 * The caller releases *f, even after failure.
 */
int result_folder_open(struct result_folder *f, const char *path, const char *const *files,
		       bool is_forced, struct ts_error *err);
/* Creates a file, for its owner only; it is one of the names above. The caller releases *file in any case. */
int result_folder_create(struct result_folder *f, const char *name, struct result_file *file,
			 struct ts_error *err);
/* Syncs and marks a file after its last write. */
int result_folder_complete(struct result_file *file, struct ts_error *err);
/*
 * Puts the directory into place, in one step where the filesystem can exchange two names, and removes
 * an older one. -EBUSY: something else came there meanwhile; -EEXIST: the older one is not replaced any more,
 * or it is not removed.
 */
int result_folder_publish(struct result_folder *f, struct ts_error *err);
void result_folder_release(
	struct result_folder *f); /* removes what was not published; idempotent */

#endif
