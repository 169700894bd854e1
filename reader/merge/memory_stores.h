/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stores of recorders in memory (common/directory/memory_store.h): lists them, and reads one. A
 * `struct memory_store` is one store.
 *
 * A store is untrusted input: it may come from a recorder of this user, or from anyone who may
 * write to /dev/shm. Only directories of this user are taken; links are not followed.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_MERGE_MEMORY_STORES_H
#define TS_READER_MERGE_MEMORY_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct memory_store {
	char *path;   /* owned */
	char *output; /* owned; path that its recorder would have written; NULL: unknown */
	char **parts; /* owned; paths of its captures, the oldest first */
	size_t nr_parts;
	uint64_t bytes; /* of all its captures */
	int fd;		/* locked by this process if it removes the store, unless is_alive */
	bool is_alive;	/* its recorder is running */
};

/*
 * Opens a store. `removes`: memory_store_remove() may follow, so others are locked out. Returns
 * -EINVAL with a sentence if it is none. Close it even after failure.
 */
int memory_store_open(struct memory_store *h, const char *path, bool removes, struct ts_error *err);
/*
 * Removes the captures of the store and the store itself. -EEXIST: something else is in it, which
 * stays with the store.
 */
int memory_store_remove(struct memory_store *h, struct ts_error *err);
void memory_store_close(struct memory_store *h); /* accepts a zeroed one; idempotent */

struct memory_stores {
	struct memory_store *items; /* owned */
	size_t nr;
};

/* Lists all stores of this user. */
int memory_stores_read(struct memory_stores *l, struct ts_error *err);
void memory_stores_release(struct memory_stores *l);

#endif
