/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copy buffers of a writer. They hold records on the way from the ring to the disk.
 *
 * Each buffer holds one block and goes through these states:
 *
 *	free -> filling -> queued -> in flight -> free
 *
 * At most one buffer is filling (two within a cut), and at most one is in flight. Queued buffers
 * wait in the order in which they were filled, which is their order in the stream. All memory is
 * mapped and touched before it is added. More buffers may be added while the writer runs
 * (buffer_supply.h), up to nr_max.
 *
 * Threads: the writer owns the pool. Its creator calls init and release, while the writer does not
 * run. Main calls buffer_map_memory() at any time. The memory of a buffer in flight is the sink's
 * until the sink reports the block as complete.
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

/* The content of a block up to the end of one of its chunks. */
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
	uint8_t side;	  /* its stream, one of the two of drain.h */
	bool ends_stream; /* it is the last block of that stream */
	bool is_last;	  /* no other buffer was free when it was taken */
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
 * Makes nr buffers (>= 2) of buffer_bytes (a multiple of the page size), on these memory nodes (OS
 * numbers; NULL: anywhere). -ENOMEM, -EINVAL.
 */
int buffer_pool_init(struct buffer_pool *p, uint32_t nr, size_t buffer_bytes,
		     hwloc_const_bitmap_t nodes, struct ts_error *err);
/* Makes room for nr_max buffers in all. Call it before any buffer is taken. -ENOMEM. */
int buffer_pool_reserve(struct buffer_pool *p, uint32_t nr_max, struct ts_error *err);
/* Adds a free buffer in this memory, which the pool unmaps at its end. At most nr_max in all. */
void buffer_pool_add(struct buffer_pool *p, uint8_t *memory);
/*
 * Maps the memory of one more buffer, on the pool's nodes and touched. For any thread. NULL: no
 * memory is left. The caller unmaps it with munmap(), unless the pool takes it.
 */
uint8_t *buffer_map_memory(const struct buffer_pool *p);
void buffer_pool_release(struct buffer_pool *p); /* accepts a zeroed one; idempotent */

/* Returns a free buffer, now filling, with counts of zero; NULL if none is free. */
struct buffer *buffer_take(struct buffer_pool *p);
/* Puts a filling buffer at the end of the queue. */
void buffer_queue(struct buffer_pool *p, struct buffer *b);
/* Returns the oldest queued buffer, now in flight; NULL if the queue is empty. */
struct buffer *buffer_next(struct buffer_pool *p);
/*
 * Notes the end of a chunk of a filling buffer, at byte `end`. At most BUFFER_CHUNKS_MAX times a
 * block.
 */
void buffer_mark(struct buffer *b, size_t end, uint64_t nr_records, uint64_t nr_samples);
/*
 * Returns the mark of the last chunk that lies within the first `bytes` of the block; all zero:
 * none.
 */
struct buffer_mark buffer_mark_before(const struct buffer *b, size_t bytes);
/* Makes a filling or written buffer free. */
void buffer_free(struct buffer_pool *p, struct buffer *b);

#endif
