/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower half of draining: records that are out of their ring become a chunk in the block that a side
 * is filling.
 *
 *	drain_chunk_ensure_block()	room for any record
 *	...				records are copied into it, or beside it to be compressed
 *	drain_chunk_make()		walked, compressed, described, counted
 *
 * Threads: the writer.
 */
#ifndef TS_STREAMER_WRITER_DRAIN_CHUNK_H
#define TS_STREAMER_WRITER_DRAIN_CHUNK_H

#include "streamer/writer/drain.h"

/* A block of the side is being filled, and has room for any record; false: no buffer is free. */
bool drain_chunk_ensure_block(struct drain *d, struct drain_side *s);
bool drain_chunk_begin_block(struct drain *d, struct drain_side *s);
/* Queues the block that is being filled, where there is one that holds any chunk. */
void drain_chunk_end_block(struct drain *d, struct drain_side *s);

/*
 * Whether the next chunk of the ring is to be compressed. A ring that is more than half full has
 * filled up while we were away or at work: it costs less to write it plain than to be late again.
 */
bool drain_chunk_compresses(struct drain *d, const struct drain_ring *r);
/*
 * The records are out of the ring: they become a chunk now, whatever they are. Those that are not to
 * be compressed may lie where the chunk has them.
 */
void drain_chunk_make(struct drain *d, struct drain_side *side, struct drain_ring *r,
		      const uint8_t *records, size_t len, bool compresses);
/* What filled the ring up is told with this drain of it, or the next. */
void drain_chunk_forget_fill(struct drain_ring *r);
/* The ring has what cannot be: it is never looked at again, and the first such one is the drain's error. */
void drain_chunk_break_ring(struct drain *d, struct drain_ring *r);

#endif
