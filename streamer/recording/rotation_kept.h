/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finished directories of a recording that are still there. The oldest are removed where
 * --switch-max-files or --keep-bytes bounds them. Only names that this recording gave are ever
 * removed.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_ROTATION_KEPT_H
#define TS_STREAMER_RECORDING_ROTATION_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"

struct kept_item {
	char *path;	  /* owned */
	const char *name; /* in `path` */
	uint64_t bytes;
	uint64_t end_ns; /* when it was taken in, CLOCK_MONOTONIC */
};

struct rotation_kept {		       /* zeroed except for the bounds: none yet */
	uint64_t max_files, max_bytes; /* 0: no bound */
	uint64_t max_age_ns;	       /* since it was taken in; 0: no bound */
	bool is_list;		       /* keep the list also where there is no bound */
	bool is_read; /* a merge reads them: bytes and age may be twice as large for now */
	struct kept_item *items; /* the oldest first */
	size_t nr, cap;
	char *spare;	   /* owned; PATH_MAX bytes for the next one; NULL: not reserved */
	uint64_t bytes;	   /* of all items */
	uint64_t begin_ns; /* begin of the oldest one, CLOCK_MONOTONIC; the owner sets the first */
};

/*
 * How many of the oldest are over the bounds, with `more_bytes` counted as well; the newest always
 * stays.
 */
size_t rotation_kept_surplus(const struct rotation_kept *k, uint64_t more_bytes, uint64_t now_ns);
/* The first that has records of that time or later, CLOCK_MONOTONIC; k->nr: none. */
size_t rotation_kept_since(const struct rotation_kept *k, uint64_t since_ns);
/* After it the next rotation_kept_add() does not fail. -ENOMEM. */
int rotation_kept_reserve(struct rotation_kept *k, struct ts_error *err);
/*
 * Takes in a directory of parent_fd that has its stamp, and removes the oldest ones over the
 * bounds. One that cannot be removed is a note, and is no longer counted. False, with a note: out
 * of memory, so it is not in the list.
 */
bool rotation_kept_add(struct rotation_kept *k, int parent_fd, const char *path, uint64_t bytes,
		       struct ts_notes *notes);
/* Removes the oldest ones over the bounds, with `more_bytes` counted: those of a running one. */
void rotation_kept_make_room(struct rotation_kept *k, int parent_fd, uint64_t more_bytes,
			     struct ts_notes *notes);
void rotation_kept_release(struct rotation_kept *k); /* removes nothing; idempotent */

#endif
