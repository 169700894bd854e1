/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays chunks out into blocks, the pieces in which a stream (data.N) is written.
 *
 * One block is one write: chunk header, payload, chunk header, payload, ..., an index record every
 * TS_INDEX_ENTRIES chunks, and padding up to a multiple of the file's alignment at its end. The
 * caller owns the buffers and writes them in the order of the blocks. This module knows the place
 * of each block in the file. Use:
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
 * A chunk that was not ended leaves no trace, so nothing needs to be cancelled. Nothing is
 * allocated. The invariant: any prefix of the blocks in the file is a sequence of whole records.
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
/* A block for ts_stream_finish() needs at least this size, and at least one align. */
#define TS_STREAM_FINISH_MAX (24u << 10)

struct ts_stream {
	/* constant after init */
	uint8_t uuid[16];
	size_t align; /* power of two, >= TS_BLOCK_ALIGN */

	uint32_t cut; /* of the next chunk; the owner may change it between two chunks */

	/* the block being laid out */
	uint8_t *block;	       /* the caller's; NULL between blocks */
	size_t cap, used;      /* bytes */
	uint64_t block_offset; /* place of this block (or of the last one) in the file */

	/* the stream as a whole */
	uint64_t next_offset; /* place of the next block: bytes laid out so far */
	uint64_t next_seq;    /* = chunks laid out so far */
	uint64_t nr_records, raw_bytes;
	uint64_t index_offset; /* of the last index record; TS_NO_OFFSET: none yet */
	uint32_t nr_pending;   /* chunks since then */
	uint8_t pending[TS_INDEX_ENTRIES][TS_INDEX_ENTRY_BYTES];
};

/* Makes an empty stream. align: ts_stream_file.align (common/base/file_io.h), or TS_BLOCK_ALIGN. */
void ts_stream_init(struct ts_stream *s, const uint8_t uuid[16], uint32_t cut, size_t align);

/*
 * Starts a block in the caller's buffer, which is aligned to s->align; its size is a multiple of
 * s->align. Nobody else may touch the buffer until the block's write is complete.
 */
void ts_stream_begin_block(struct ts_stream *s, void *buffer, size_t size);
/* Payload bytes (a multiple of 8) for one more chunk in this block; 0: end the block. */
size_t ts_stream_room(const struct ts_stream *s);
/* The place for the payload of the next chunk: 8-byte aligned, ts_stream_room() bytes. */
void *ts_stream_payload(const struct ts_stream *s);
/*
 * Ends the chunk whose payload_bytes (> 0, a multiple of 8, <= room) lie at ts_stream_payload().
 * The caller has filled ring, cpu, kind, flags, payload_bytes, raw_bytes, nr_records, times, spans
 * and loss. This function fills uuid, cut, seq, offset and checksum, and writes the header.
 */
void ts_stream_end_chunk(struct ts_stream *s, struct ts_chunk *c);
/*
 * Pads and ends the block. Returns the bytes to write at s->block_offset, a multiple of s->align. A
 * block without chunks gives 0: nothing to write, the offset stays.
 */
size_t ts_stream_end_block(struct ts_stream *s);
/*
 * Lays the final index and the footer out in a block just begun (size >= TS_STREAM_FINISH_MAX and
 * >= s->align), and ends the block. Returns the bytes to write. The stream is complete after that;
 * only ts_stream_init() may follow.
 */
size_t ts_stream_finish(struct ts_stream *s);

/*
 * The most bytes <= limit at the start of a block that end at a record boundary. The file is
 * truncated there if the rest of a short write fails. block holds whole records.
 */
size_t ts_stream_whole_records(const void *block, size_t len, size_t limit);

#endif
