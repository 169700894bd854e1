/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copy buffers of a writer: where records lie between their ring and the disk.
 *
 * Each buffer holds one block. It goes round
 *
 *	free -> filling -> queued -> in flight -> free
 *
 * one buffer filling (within a cut two) and one in flight at most; queued ones wait in the order in
 * which they were filled, which is their order in the stream. All memory is mapped and touched before it comes here;
 * more buffers may come while the writer runs (buffer_supply.h), up to what was reserved for.
 *
 * Threads: one owner, the writer (init and release: its creator, while it does not run). In flight,
 * the memory is the sink's until it says that the block is complete.
 */
#ifndef TS_STREAMER_WRITER_BUFFER_H
#define TS_STREAMER_WRITER_BUFFER_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "streamer/machine/memory_place.h"

#define BUFFER_CHUNKS_MAX 256 /* a block with that many small chunks is full */

enum buffer_state {
	BUFFER_FREE,
	BUFFER_FILLING,
	BUFFER_QUEUED,
	BUFFER_IN_FLIGHT,
};

/* What a block holds up to the end of one of its chunks. */
struct buffer_mark {
	uint32_t end; /* bytes */
	uint32_t nr_records, nr_samples;
	uint32_t nr_chunks; /* this one and those before it */
};

struct buffer {
	enum buffer_state state;
	uint8_t *data;	     /* buffer_pool.buffer_bytes of memory, page aligned */
	struct buffer *next; /* in the queue */

	/* of the block in it */
	uint8_t side;	  /* which of the two streams of drain.h it belongs to */
	bool ends_stream; /* nothing of that stream comes behind it */
	size_t len;	  /* bytes to be written */
	uint64_t offset;  /* where in the stream */
	uint32_t nr_records, nr_samples, nr_chunks;
	struct buffer_mark marks[BUFFER_CHUNKS_MAX]; /* one a chunk */
};

struct buffer_pool {
	struct buffer *items;
	uint32_t nr, nr_max;
	uint32_t nr_free;
	size_t buffer_bytes;
	struct memory_place place;
	struct buffer *first, *last; /* the queue; NULL: empty */
};

/*
 * nr buffers (>= 2) of buffer_bytes (a multiple of the page size), on these memory nodes (OS
 * numbers; NULL: anywhere). -ENOMEM, -EINVAL.
 */
int buffer_pool_init(struct buffer_pool *p, uint32_t nr, size_t buffer_bytes,
		     hwloc_const_bitmap_t nodes, struct ts_error *err);
/* Prepares for nr_max buffers in all, before any is taken. -ENOMEM. */
int buffer_pool_reserve(struct buffer_pool *p, uint32_t nr_max, struct ts_error *err);
/* One buffer more, free, in this memory, which the pool unmaps at its end. At most nr_max in all. */
void buffer_pool_add(struct buffer_pool *p, uint8_t *memory);
/* The memory of one more buffer, on the pool's nodes and touched; from any thread; NULL: none is
 * left. munmap() ends it. */
uint8_t *buffer_map_memory(const struct buffer_pool *p);
void buffer_pool_release(struct buffer_pool *p); /* accepts a zeroed one; idempotent */

/* A free buffer, now filling, its counts zero; NULL: none is free. */
struct buffer *buffer_take(struct buffer_pool *p);
/* Puts a filling buffer at the end of the queue. */
void buffer_queue(struct buffer_pool *p, struct buffer *b);
/* The oldest queued buffer, now in flight; NULL: the queue is empty. */
struct buffer *buffer_next(struct buffer_pool *p);
/* Notes the end of a chunk of a filling buffer, at byte `end`. At most BUFFER_CHUNKS_MAX times. */
void buffer_mark(struct buffer *b, size_t end, uint64_t nr_records, uint64_t nr_samples);
/* The last chunk that lies in the first `bytes` of the block; all zero: none does. */
struct buffer_mark buffer_mark_before(const struct buffer *b, size_t bytes);
/* Gives a filling or written buffer back. */
void buffer_free(struct buffer_pool *p, struct buffer *b);

#endif
