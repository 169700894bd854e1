/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays chunks out into blocks, the pieces in which a stream (data.N) is written.
 *
 * One block is one write: chunk header, payload, chunk header, payload, ..., an index record every
 * TS_INDEX_ENTRIES chunks, and padding up to a multiple of the file's alignment at its end. The
 * caller owns the buffers and does the writing, in the order of the blocks; this module knows where
 * in the file each block goes. Use:
 *
 *	ts_stream_begin_block(s, buffer, size);
 *	while (ts_stream_room(s) >= some) {
 *		void *payload = ts_stream_payload(s);
 *		(put at most room bytes of whole records there, fill a struct ts_chunk)
 *		ts_stream_end_chunk(s, &chunk);
 *	}
 *	len = ts_stream_end_block(s);
 *	write len bytes of buffer at s->block_offset
 *	...
 *	ts_stream_begin_block(s, buffer, size); len = ts_stream_finish(s); write; close
 *
 * A chunk that was not ended leaves no trace, so there is nothing to cancel. Nothing is allocated.
 * The invariant: whatever prefix of the blocks is in the file, it is a sequence of whole records.
 *
 * Threads: one owner at a time (the writer of the stream).
 */
#ifndef TS_COMMON_STREAM_STREAM_H
#define TS_COMMON_STREAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/stream/chunk.h"
#include "common/stream/stream_index.h"

#define TS_BLOCK_ALIGN 4096	  /* least alignment of a block in memory and in the file */
#define TS_BLOCK_BYTES (1u << 20) /* of a block buffer, unless the caller knows better */
/* ts_stream_finish() needs a block of that or one align. */
#define TS_STREAM_FINISH_MAX (24u << 10)

struct ts_stream {
	/* constant after init */
	uint8_t uuid[16];
	size_t align; /* power of two, >= TS_BLOCK_ALIGN */

	uint32_t cut; /* of the next chunk: the owner may change it between two */

	/* the block being laid out */
	uint8_t *block;	       /* the caller's; NULL between blocks */
	size_t cap, used;      /* bytes */
	uint64_t block_offset; /* where the block (or the one ended last) goes in the file */

	/* the stream as a whole */
	uint64_t next_offset; /* where the next block goes: bytes laid out so far */
	uint64_t next_seq;    /* = chunks laid out so far */
	uint64_t nr_records, raw_bytes;
	uint64_t index_offset; /* of the last index record; TS_NO_OFFSET: none yet */
	uint32_t nr_pending;   /* chunks since then */
	uint8_t pending[TS_INDEX_ENTRIES][TS_INDEX_ENTRY_BYTES];
};

/* An empty stream. align: ts_stream_file.align (common/base/fdio.h), or TS_BLOCK_ALIGN. */
void ts_stream_init(struct ts_stream *s, const uint8_t uuid[16], uint32_t cut, size_t align);

/*
 * Starts a block in the caller's buffer: aligned to s->align, size a multiple of it. The buffer
 * must stay untouched by others until the block's write completed.
 */
void ts_stream_begin_block(struct ts_stream *s, void *buffer, size_t size);
/* Payload bytes (a multiple of 8) that one more chunk may have in this block; 0: end the block. */
size_t ts_stream_room(const struct ts_stream *s);
/* Where the payload of the next chunk goes: 8-byte aligned, ts_stream_room() bytes. */
void *ts_stream_payload(const struct ts_stream *s);
/*
 * Ends the chunk whose payload_bytes (> 0, a multiple of 8, <= room) lie at ts_stream_payload().
 * The caller has filled ring, cpu, kind, flags, payload_bytes, raw_bytes, nr_records, times, spans
 * and loss; uuid, cut, seq, offset and checksum are filled here, the header is written.
 */
void ts_stream_end_chunk(struct ts_stream *s, struct ts_chunk *c);
/*
 * Pads and ends the block: returns the bytes to be written at s->block_offset, a multiple of
 * s->align; 0 for a block without chunks (nothing to write, the offset stays).
 */
size_t ts_stream_end_block(struct ts_stream *s);
/*
 * Lays the final index and the footer out in a block just begun (size >= TS_STREAM_FINISH_MAX and
 * >= s->align) and ends it: returns the bytes to be written. The stream is complete after that;
 * only ts_stream_init() may follow.
 */
size_t ts_stream_finish(struct ts_stream *s);

/*
 * The most bytes <= limit at the start of a block that end at a record boundary: where to truncate
 * after a short write whose remainder failed. block holds whole records.
 */
size_t ts_stream_whole_records(const void *block, size_t len, size_t limit);

#endif
