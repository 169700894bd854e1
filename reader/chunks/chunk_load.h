/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of one chunk of a table: verified, and plain.
 *
 * Threads: any thread may call any of these functions at the same time, with a chunk_buffer of its
 * own.
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

/* Scratch memory for chunks that are inflated or read, one a thread. Zero-initialise. */
struct chunk_buffer {
	struct memory *memory;
	struct chunk_memory plain; /* inflated records */
	struct chunk_memory disk;  /* the chunk as it is on disk */
	struct ts_decompressor decompressor;
};

/*
 * Gives the records of a chunk. They lie in the mapped file or in *buf, and are valid until the
 * next load with the same buffer. Returns -EBADMSG if header, checksum or compression is damaged:
 * *err has the reason, and chunk_damaged() adds the place. Returns -ENOMEM if memory is short.
 */
int chunk_load(const struct chunk_table *t, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_error *err);
/*
 * The same for sequential passes over whole chunks. Where possible, the chunk is read into *buf
 * instead of mapped. If it is mapped all the same, its pages are given back with the window
 * (chunk_note_mapped()).
 */
int chunk_read(const struct chunk_table *t, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_error *err);
/*
 * Is the payload unchanged since it was written? For callers that copy a chunk as it is: the
 * question does not make the records plain. False: chunk_load() tells how much of it can be read.
 */
bool chunk_is_intact(const struct chunk_table *t, const struct chunk *chunk);
/*
 * Tells that the records of chunk_load() will not be read again soon. Their part of the file need
 * not stay in this process.
 */
void chunk_unload(const struct chunk_table *t, const struct chunk *chunk);
/* The place of a chunk, header included, with the reason why chunk_load() failed. */
struct chunk_damage chunk_damaged(const struct chunk *chunk, const struct ts_error *err);
void chunk_buffer_release(struct chunk_buffer *buf);

/* --- counters, also for modules that make the table --- */

/* Counts bytes of the streams that were read. */
void chunk_note_read(const struct chunk_table *t, uint64_t bytes);
/*
 * Counts bytes that accesses mapped into this process. When a window is full, gives all mapped
 * pages back.
 */
void chunk_note_mapped(const struct chunk_table *t, uint64_t bytes);

#endif
