/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a merge. It is made beside its name and put into place in one step. So a kill at
 * any moment leaves the old or the new capture at OUT.
 *
 * It is a directory (common/directory/directory.h), or a single file OUT.new that is renamed. An
 * existing capture at OUT is a part of the merge, so nothing is lost when it is replaced. For OUT
 * "-" the file has no name, and is copied to standard output once it is complete: its header has
 * the sizes of what follows.
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
#include "reader/commands/beside_file.h"

struct merge_output {
	const char *path; /* not owned */
	bool is_single;
	bool extends;	    /* a capture exists at OUT: */
	struct stat stands; /* that capture */
	struct ts_dir dir;
	struct beside_file file; /* a single file: OUT.new, or one without a name */
	int to_fd;		 /* standard output, if the file goes there; -1: it does not */
};

/*
 * Checks OUT and the names beside it; changes nothing. Returns -EEXIST if OUT cannot be extended,
 * or if making OUT would replace a part; -EINVAL if standard output cannot take the capture. The
 * caller releases *o, even after failure.
 */
int merge_output_init(struct merge_output *o, const char *path, bool is_single,
		      const char *const *parts, size_t nr_parts, struct ts_error *err);
/* Creates the output beside its name; a single file is open for reading, too. */
int merge_output_create(struct merge_output *o, struct ts_error *err);
/* Puts the output into place. -EBUSY: OUT was changed meanwhile. */
int merge_output_publish(struct merge_output *o, struct ts_error *err);
void merge_output_release(struct merge_output *o); /* removes an unpublished output; idempotent */

#endif
