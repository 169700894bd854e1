/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a merged capture goes: made beside its name, shown in one step, so that a kill at any moment
 * leaves at OUT what stood there or what is new.
 *
 * A directory, by common/directory/directory.h; or a single file OUT.new that is renamed. What stands at OUT is a
 * part of the merge, so nothing of it is lost when it is replaced.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_MERGE_MERGE_OUTPUT_H
#define TS_READER_MERGE_MERGE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "common/base/error.h"
#include "common/directory/directory.h"

struct merge_output {
	const char *path; /* the owner's */
	bool is_single;
	bool extends;	    /* a capture stands there: */
	struct stat stands; /* this one */
	struct ts_dir dir;
	char *beside; /* owned: OUT.new of a single file, once it was made; NULL */
	int fd;	      /* of that; -1 */
};

/*
 * Looks at OUT and at what would be in the way; changes nothing. -EEXIST: what stands there cannot be
 * extended, or a part would be replaced by the making. *o is the caller's to release, also after failure.
 */
int merge_output_init(struct merge_output *o, const char *path, bool is_single,
		      const char *const *parts, size_t nr_parts, struct ts_error *err);
/* Begins to make it. */
int merge_output_create(struct merge_output *o, struct ts_error *err);
/* Puts it into place. -EBUSY: somebody else has put something there meanwhile. */
int merge_output_publish(struct merge_output *o, struct ts_error *err);
void merge_output_release(struct merge_output *o); /* removes what was not published; idempotent */

#endif
