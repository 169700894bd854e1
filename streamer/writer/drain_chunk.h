/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower half of draining: copied records become a chunk in the block that a side is filling.
 *
 *	drain_chunk_ensure_block()	room for any record
 *	drain_chunk_copy()		records are copied into it, or beside it to be compressed
 *	drain_chunk_make()		walked, compressed, described, counted
 *
 * Threads: the writer.
 */
#ifndef TS_STREAMER_WRITER_DRAIN_CHUNK_H
#define TS_STREAMER_WRITER_DRAIN_CHUNK_H

#include "streamer/writer/drain.h"

/*
 * Makes sure that the side has a block with room for any record of the ring. False: no buffer is
 * free for it. The last free buffer takes side-band alone, so samples cannot keep names and maps
 * out when the disk lags. A pool of two buffers, or of three if there are cuts, has none to spare.
 */
bool drain_chunk_ensure_block(struct drain *d, struct drain_side *s, const struct drain_ring *r);
/* Begins a block in a free buffer; false: there is none. The side fills no block. */
bool drain_chunk_begin_block(struct drain *d, struct drain_side *s);
/*
 * Ends the block that is being filled, if any: queues it, or frees its buffer if it has no chunk.
 */
void drain_chunk_end_block(struct drain *d, struct drain_side *s);

/*
 * True if the next chunk of the ring is to be compressed. A ring that is more than half full is
 * written plain: that costs less than to be late again.
 */
bool drain_chunk_compresses(struct drain *d, const struct drain_ring *r);
/*
 * Copies records out of the ring, and returns their bytes; 0: nothing is to be kept. A ring with an
 * impossible head or record breaks (drain_chunk_break_ring()). A ring of side-band that was full
 * before the copy is reported as a gap: records may be lost although no LOST record says so yet.
 */
size_t drain_chunk_copy(struct drain *d, struct drain_ring *r, uint8_t *dst, size_t room);
/*
 * Makes a chunk of records that have left their ring. Records that are not compressed may already
 * lie at their place in the block (ts_stream_payload()).
 */
void drain_chunk_make(struct drain *d, struct drain_side *side, struct drain_ring *r,
		      const uint8_t *records, size_t len, bool compresses);
/*
 * Call it after each drain of the ring. The noted cause then counts for this drain and the next
 * one.
 */
void drain_chunk_forget_fill(struct drain_ring *r);
/*
 * Marks a ring with an impossible head or record: it is never read again. The first such ring sets
 * the error of the drain.
 */
void drain_chunk_break_ring(struct drain *d, struct drain_ring *r);

#endif
