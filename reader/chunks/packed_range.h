/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A range of records in memory, packed again: perf's frames cannot be entered in the middle, so
 * what was inflated has to be held. Records that shrank a hundred times shrink again, by themselves.
 *
 * Threads: a struct packed_range_maker belongs to one thread; packed_range_expand() is a pure
 * function of its arguments.
 */
#ifndef TS_READER_CHUNKS_PACKED_RANGE_H
#define TS_READER_CHUNKS_PACKED_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/runtime/memory.h"

struct packed_range_maker { /* zero-initialise */
	void *cctx;
};

/*
 * A new block with the packed bytes, a quarter of `len` at most. NULL: they do not shrink so far,
 * or memory is short.
 */
uint8_t *packed_range_make(struct packed_range_maker *m, struct memory *memory,
			   const uint8_t *records, size_t len, size_t *ret_bytes);
void packed_range_maker_release(struct packed_range_maker *m); /* idempotent */

/* Writes exactly `len` bytes of records, with a context of zstd's. 0 or -EBADMSG. */
int packed_range_expand(void *dctx, const uint8_t *packed, size_t bytes, uint8_t *records,
			size_t len, struct ts_error *err);

#endif
