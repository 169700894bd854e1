/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The holds of recorders in memory (common/directory/memory_store.h): which there are, and what is in one.
 *
 * Input from this user's own recorders, or from whoever may write to /dev/shm: only directories of this
 * user are taken, links are not followed.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_MERGE_MEMORY_STORES_H
#define TS_READER_MERGE_MEMORY_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct hold {
	char *path;   /* owned */
	char *output; /* owned; where its recorder would have written it; NULL: it does not say */
	char **parts; /* owned; its captures, the oldest first */
	size_t nr_parts;
	uint64_t bytes; /* of all of them */
	int fd;		/* locked by us, unless is_alive */
	bool is_alive;	/* its recorder is there */
};

/* Opens one; -EINVAL with a sentence: it is none. To be closed also after failure. */
int hold_open(struct hold *h, const char *path, struct ts_error *err);
/* Removes its captures and itself. */
int hold_remove(struct hold *h, struct ts_error *err);
void hold_close(struct hold *h); /* accepts a zeroed one; idempotent */

struct memory_stores {
	struct hold *items; /* owned */
	size_t nr;
};

/* All of this user. */
int memory_stores_read(struct memory_stores *l, struct ts_error *err);
void memory_stores_release(struct memory_stores *l);

#endif
