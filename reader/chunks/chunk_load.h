/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of one chunk of a table: verified, and plain.
 *
 * Threads: any thread may call any of these at the same time; each has its own chunk_buffer.
 */
#ifndef TS_READER_CHUNKS_CHUNK_LOAD_H
#define TS_READER_CHUNKS_CHUNK_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/stream/compress.h"
#include "reader/chunks/chunk_table.h"

struct chunk_memory {
	uint8_t *data;
	size_t cap;
};

/* Scratch memory for chunks that are inflated or read. Zero-initialise; one a thread. */
struct chunk_buffer {
	struct spill *spill;
	struct chunk_memory plain; /* what was inflated */
	struct chunk_memory disk;  /* as it is on disk */
	struct ts_decompressor decompressor;
};

/*
 * Gives the records of a chunk: either in the mapped file or in *buf, valid until the next load
 * with the same buffer. -EBADMSG with the reason alone when header, checksum or compression is
 * damaged (chunk_damaged() adds the place); -ENOMEM.
 */
int chunk_load(const struct chunk_table *t, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_error *err);
/*
 * The same for who passes over whole chunks, one after the other: they are read into *buf instead of mapped
 * where they can be. What is mapped all the same is given back with the window (chunk_note_mapped()).
 */
int chunk_read(const struct chunk_table *t, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_error *err);
/*
 * Is its payload as it was written? For who copies it as it is: that is known without its records being
 * made plain. False: chunk_load() says what there is.
 */
bool chunk_is_intact(const struct chunk_table *t, const struct chunk *chunk);
/* What chunk_load() gave will not be read again soon: its part of the file need not stay in this process. */
void chunk_unload(const struct chunk_table *t, const struct chunk *chunk);
/* The place that a chunk with its header is, and why chunk_load() did not give it. */
struct chunk_damage chunk_damaged(const struct chunk *chunk, const struct ts_error *err);
void chunk_buffer_release(struct chunk_buffer *buf);

/* --- what is counted, for who makes the table and reads, too --- */

/* Bytes of the streams that were looked at. */
void chunk_note_read(const struct chunk_table *t, uint64_t bytes);
/* Bytes that were mapped into this process by looking at them; gives all back now and then. */
void chunk_note_mapped(const struct chunk_table *t, uint64_t bytes);

#endif
