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
#include "reader/chunks/chunk_salvage.h"
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
	uint64_t nr_salvaged;	  /* records of the last chunk, if it was CHUNK_SALVAGED; else 0 */
	uint64_t unreadable;	  /* bytes of its other records */
	struct chunk_holes holes; /* where these were: chunk_salvage_place() */
};

/* The result of chunk_load() and chunk_read(), if it is not negative. */
enum chunk_loaded {
	CHUNK_SOUND = 0,
	CHUNK_SALVAGED = 1,
};

/*
 * Gives the records of a chunk. They lie in the mapped file or in *buf, and are valid until the
 * next load with the same buffer. If header, checksum or compression is damaged, *err has the
 * reason, and chunk_damaged() adds the place: CHUNK_SALVAGED with the records that look sound, one
 * behind the other (chunk_salvage.h), or -EBADMSG if there are none. Returns -ENOMEM if memory is
 * short.
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
 * chunk_load() for passes that leave it to others to tell of damage: 0 with the records that there
 * are, or -ENOMEM.
 */
int chunk_load_some(const struct chunk_table *t, const struct chunk *chunk,
		    struct chunk_buffer *buf, const uint8_t **ret_records, size_t *ret_len);
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
/*
 * The place of a chunk, header included, with the reason that chunk_load() gave with this buffer.
 */
struct chunk_damage chunk_damaged(const struct chunk *chunk, const struct chunk_buffer *buf,
				  const struct ts_error *err);
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
