/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files and directories at the place where a capture is to go, and the careful removal of old
 * captures.
 *
 * This is the only code in the tree that deletes files of an earlier run. It deletes a whole
 * capture or nothing, and only captures of this process's user: others can write to the folder. A
 * directory is removed only if everything in it is a regular file with a name that captures have,
 * or the folder of symbols (symbols_folder.h) with such files. If its tstream.json names streams, any
 * other data.N is foreign. Each entry is looked at in the
 * directory that is held open, and then removed from this directory. Links are not followed.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_COMMON_DIRECTORY_OUTPUT_PLACE_H
#define TS_COMMON_DIRECTORY_OUTPUT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/base/error.h"

enum ts_output_place {
	TS_STANDS_NOTHING,
	TS_STANDS_CAPTURE_DIR,	/* its `data` begins as perf.data does: tstream's or perf's */
	TS_STANDS_CAPTURE_FILE, /* a perf.data file */
	TS_STANDS_EMPTY_FILE,	/* of this user, regular, 0 bytes: as mktemp leaves it */
	TS_STANDS_EMPTY_DIR,	/* of this user, no mount point: as mktemp -d leaves it */
	TS_STANDS_FOREIGN,	/* anything else */
};

/*
 * Looks at parent_fd/name. Returns enum ts_output_place, or -errno. For TS_STANDS_EMPTY_DIR and
 * TS_STANDS_FOREIGN *ret_what names it, for "... : it is %s"; ret_what may be NULL.
 */
int ts_output_place_look(int parent_fd, const char *name, const char **ret_what);

/* Does a file belong to the user that this process acts as? */
bool ts_output_place_is_ours(const struct stat *st);

/* "data", "data.N", "tstream.json" and their tmp-: the files of a capture. */
bool ts_output_place_is_capture_name(const char *name);
/* Is parent_fd a capture directory, and `name` such a file of it, existing or not? */
bool ts_output_place_is_within(int parent_fd, const char *name);

/*
 * Could ts_output_place_remove() remove the directory parent_fd/name? -EEXIST with a sentence that
 * names the obstacle; -EPERM: it belongs to another user. Only sentences use `path`, here and below.
 */
int ts_output_place_check_dir(int parent_fd, const char *name, const char *path,
			      struct ts_error *err);
/*
 * Removes a capture (TS_STANDS_CAPTURE_*), or the directory of a recorder that was killed before it
 * wrote `data` (its streams are still empty). -EEXIST or -EPERM, and nothing is deleted, if
 * ts_output_place_check_dir() refuses it or it belongs to another user.
 */
int ts_output_place_remove(int parent_fd, const char *name, const char *path, struct ts_error *err);

#endif
