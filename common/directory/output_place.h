/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands at a path where a capture is to go, and the careful removal of old captures.
 *
 * The only code in the tree that deletes what an earlier run wrote. It deletes a capture or
 * nothing: a directory goes only if everything in it is a regular file with a name that captures
 * have, or the folder of symbols (symbols_folder.h) with such files. Links are not followed.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_COMMON_DIRECTORY_OUTPUT_PLACE_H
#define TS_COMMON_DIRECTORY_OUTPUT_PLACE_H

#include <stdbool.h>

#include "common/base/error.h"

enum ts_output_place {
	TS_STANDS_NOTHING,
	TS_STANDS_CAPTURE_DIR,	/* its `data` begins as perf.data does: tstream's or perf's */
	TS_STANDS_CAPTURE_FILE, /* a perf.data file */
	TS_STANDS_EMPTY_FILE,	/* regular, 0 bytes: as mktemp leaves it */
	TS_STANDS_FOREIGN,	/* anything else; *ret_what says what, for "... : it is %s" */
};

/* Looks at parent_fd/name. ret_what may be NULL. Returns enum ts_output_place, or -errno. */
int ts_output_place_look(int parent_fd, const char *name, const char **ret_what);

/* "data", "data.N", "tstream.json" and their tmp-: the files that captures consist of. */
bool ts_output_place_is_capture_name(const char *name);
/* Is parent_fd a capture directory, and `name` such a file of it, there or not? */
bool ts_output_place_is_within(int parent_fd, const char *name);

/*
 * Could ts_output_place_remove() remove the directory parent_fd/name? -EEXIST with a sentence that
 * names what is in the way. `path` is for sentences, here and below.
 */
int ts_output_place_check_dir(int parent_fd, const char *name, const char *path,
			      struct ts_error *err);
/*
 * Removes a capture (TS_STANDS_CAPTURE_*), or what a recorder left that was killed before it wrote
 * `data` (streams still empty); -EEXIST and nothing is deleted where ts_output_place_check_dir() says
 * so.
 */
int ts_output_place_remove(int parent_fd, const char *name, const char *path, struct ts_error *err);

#endif
