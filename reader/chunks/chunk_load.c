// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/chunk_load.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/stream/checksum.h"
#include "common/stream/chunk.h"
#include "reader/chunks/chunk_salvage.h"
#include "reader/chunks/packed_range.h"
#include "reader/runtime/memory_limit.h"

/* The most bytes of a plain chunk: far more than the recorder's buffer, which has 1 MiB. */
#define CHUNK_RAW_MAX (16u << 20)
/* The most bytes of a chunk that is read: a larger one is mapped. */
#define CHUNK_READ_MAX (16u << 20)
#define READ_STEP      (256u << 10) /* step in which its buffer grows */
/* Pages are given back in steps of a large page. */
#define UNLOAD_BYTES ((uint64_t)2 << 20)

void chunk_note_read(const struct chunk_table *t, uint64_t bytes)
{
	atomic_fetch_add_explicit(&t->reads->bytes, bytes, memory_order_relaxed);
}

/*
 * Mapped pages stay in this process until they are given back. So after each window all of them are
 * given back. A thread that is still reading there finds them in the kernel's cache.
 */
void chunk_note_mapped(const struct chunk_table *t, uint64_t bytes)
{
	struct memory *memory = t->capture->memory;
	uint64_t before = atomic_fetch_add_explicit(&t->reads->window, bytes, memory_order_relaxed);

	if (before + bytes < memory_window_bytes(memory) && !memory_is_wide(memory))
		return;
	atomic_store_explicit(&t->reads->window, 0, memory_order_relaxed);
	for (size_t i = 0; i < t->capture->nr_streams; i++)
		map_give_back(&t->capture->streams[i].map, 0, t->capture->streams[i].map.len);
	memory_trim(memory);
}

static int bad_chunk(const char *what, struct ts_error *err)
{
	return ts_error_set(err, EBADMSG, "%s", what);
}

struct chunk_damage chunk_damaged(const struct chunk *chunk, const struct chunk_buffer *buf,
				  const struct ts_error *err)
{
	struct chunk_damage place = damage_at(chunk->stream, chunk->offset - chunk->header_bytes,
					      chunk->bytes + chunk->header_bytes, err->text);

	if (buf->nr_salvaged)
		place.bytes = buf->unreadable;
	place.nr_doubtful = buf->nr_salvaged;
	return place;
}

static int grow_plain(struct chunk_buffer *buf, size_t bytes, struct ts_error *err)
{
	uint8_t *grown;

	if (buf->plain.cap >= bytes)
		return 0;
	grown = memory_resize(buf->memory, buf->plain.data, 1, bytes);
	if (!grown)
		return ts_error_set(err, ENOMEM, "cannot decompress chunk: out of memory");
	buf->plain = (struct chunk_memory){grown, bytes};
	return 0;
}

/*
 * Memory for a chunk that could be mapped as well, so it never lies in a file. False: it has no
 * room.
 */
static bool has_room_to_read(struct chunk_buffer *buf, size_t bytes)
{
	const size_t cap = (bytes + READ_STEP - 1) / READ_STEP * READ_STEP;

	if (buf->disk.cap >= bytes)
		return true;
	memory_free(buf->disk.data);
	buf->disk = (struct chunk_memory){memory_new_cache(buf->memory, 1, cap), cap};
	if (!buf->disk.data)
		buf->disk.cap = 0;
	return buf->disk.data;
}

/* A record of a compressed chunk expands to at most 64 KiB. */
static bool is_raw_size_possible(const struct chunk *c)
{
	return c->raw_bytes <= CHUNK_RAW_MAX &&
	       c->raw_bytes / (64u << 10) <= c->bytes / sizeof(struct perf_event_header);
}

/* Makes room for the records of a compressed chunk. */
static int prepare_plain(const struct chunk *c, struct chunk_buffer *buf, struct ts_error *err)
{
	int rc;

	if (!is_raw_size_possible(c))
		return bad_chunk("its size when plain is impossible", err);
	rc = grow_plain(buf, c->raw_bytes, err);
	return rc || buf->decompressor.dctx ? rc : ts_decompressor_init(&buf->decompressor, err);
}

static int decompress_payload(const struct chunk *c, const uint8_t *payload,
			      struct chunk_buffer *buf, struct ts_error *err)
{
	int rc = prepare_plain(c, buf, err);

	if (rc)
		return rc;
	rc = ts_decompressor_expand(&buf->decompressor, payload, c->bytes, buf->plain.data,
				    c->raw_bytes, err);
	return rc == -EBADMSG ? bad_chunk("its compression is damaged", err) : rc;
}

/* The same for the beginning of a payload. *ret_is_damaged: more than its end is missing. */
static int decompress_torn(const struct chunk *c, const uint8_t *payload, struct chunk_buffer *buf,
			   size_t *ret_len, bool *ret_is_damaged, struct ts_error *err)
{
	struct ts_decompressor *d = &buf->decompressor;
	bool is_covered;
	size_t whole = ts_chunk_whole_bytes(payload, c->bytes, &is_covered), len;
	int rc = prepare_plain(c, buf, err);

	if (rc)
		return rc;
	len = ts_decompressor_expand_partial(d, payload, whole, buf->plain.data, c->raw_bytes);
	*ret_is_damaged = ts_decompressor_expand(d, payload, whole, buf->plain.data, len, err) ||
			  chunk_salvage_expand(d, payload + whole, c->bytes - whole,
					       buf->plain.data + len, c->raw_bytes - len);
	*ret_len = len;
	return 0;
}

/*
 * The checksum that the payload must have. A chunk that was found through the index must have the
 * header that the index describes.
 */
static bool find_checksum(const struct chunk *c, const uint8_t *payload, uint64_t *ret)
{
	struct ts_chunk header;

	*ret = c->checksum;
	if (!(c->flags & CHUNK_INDEXED))
		return true;
	if (ts_chunk_parse(payload - c->header_bytes, c->header_bytes + c->bytes,
			   c->offset - c->header_bytes, &header) != TS_FOUND_OK ||
	    header.header_bytes != c->header_bytes || header.payload_bytes != c->bytes ||
	    header.raw_bytes != c->raw_bytes ||
	    !(header.flags & TS_CHUNK_COMPRESSED) != !(c->flags & CHUNK_COMPRESSED))
		return false;
	*ret = header.checksum;
	return true;
}

/* Is the payload unchanged? */
static int verify_payload(const struct chunk *c, const uint8_t *payload, struct ts_error *err)
{
	uint64_t checksum;

	if (!find_checksum(c, payload, &checksum))
		return bad_chunk("its header is not the one that the index names", err);
	if (ts_checksum(payload, c->bytes) != checksum)
		return bad_chunk("its checksum does not match", err);
	return 0;
}

/*
 * A chunk that was verified needs no second look: the capture is not written any more, or only
 * behind the chunk.
 */
static bool is_verified(const struct chunk_table *t, const struct chunk *c)
{
	return t->reads->seen &&
	       atomic_load_explicit(&t->reads->seen[c - t->chunks], memory_order_relaxed) &
		       CHUNK_VERIFIED;
}

static void note_verified(const struct chunk_table *t, const struct chunk *c)
{
	if (t->reads->seen)
		atomic_fetch_or_explicit(&t->reads->seen[c - t->chunks], CHUNK_VERIFIED,
					 memory_order_relaxed);
}

/*
 * Counts each loaded chunk once. The scan of others' streams has counted their bytes already. True:
 * the chunk is loaded for the first time, as far as is known.
 */
static bool note_load(const struct chunk_table *t, const struct chunk *c)
{
	_Atomic uint8_t *seen = t->reads->seen; /* NULL: the table is being built */

	if (seen &&
	    atomic_fetch_or_explicit(&seen[c - t->chunks], CHUNK_LOADED, memory_order_relaxed) &
		    CHUNK_LOADED)
		return false;
	if (seen || c->header_bytes)
		atomic_fetch_add_explicit(&t->reads->nr_chunks, 1, memory_order_relaxed);
	if (c->header_bytes)
		chunk_note_read(t, c->header_bytes + c->bytes);
	return true;
}

/* The payload in the mapped file; its header stands before it. */
static const uint8_t *map_chunk(const struct chunk_table *t, const struct chunk *c)
{
	const struct map *map = &t->capture->streams[c->stream].map;
	bool is_first = note_load(t, c);

	chunk_note_mapped(t, c->bytes);
	if (is_first && c->header_bytes && t->is_sparse)
		map_prefetch(map, c->offset - c->header_bytes, c->header_bytes + c->bytes);
	return map->data + c->offset;
}

/* Copies or expands a damaged payload into buf->plain. */
static int take_damaged(const struct chunk *c, const uint8_t *payload, struct chunk_buffer *buf,
			size_t *ret_len, struct ts_error *err)
{
	bool is_compressed = c->flags & CHUNK_COMPRESSED;
	int rc;

	if (c->bytes > CHUNK_RAW_MAX)
		return -EBADMSG;
	rc = is_compressed ? prepare_plain(c, buf, err) : grow_plain(buf, c->bytes, err);
	if (rc)
		return rc;
	*ret_len = c->bytes;
	if (is_compressed)
		*ret_len = chunk_salvage_expand(&buf->decompressor, payload, c->bytes,
						buf->plain.data, c->raw_bytes);
	else
		memcpy(buf->plain.data, payload, c->bytes);
	return 0;
}

/* The records of a damaged payload that look sound. *err has the reason of the damage. */
static int salvage_payload(const struct chunk_table *t, const struct chunk *c,
			   const uint8_t *payload, struct chunk_buffer *buf,
			   const uint8_t **ret_records, size_t *ret_len, struct ts_error *err)
{
	const struct ts_events *events = t->events;
	const struct ts_error reason = *err;
	size_t len;
	int rc;

	if (!events->nr)
		return -EBADMSG;
	rc = take_damaged(c, payload, buf, &len, err);
	if (rc)
		return rc;
	/* the places of compressed records are no places in the file */
	len = chunk_salvage_records(events, c, buf->plain.data, len,
				    c->flags & CHUNK_COMPRESSED ? NULL : &buf->holes,
				    &buf->nr_salvaged);
	if (!len)
		return -EBADMSG;
	buf->unreadable = c->flags & CHUNK_COMPRESSED ? c->raw_bytes - len : c->bytes - len;
	*ret_records = buf->plain.data;
	*ret_len = len;
	ts_error_set(err, EBADMSG, "%s, but %llu of its %llu records look sound", reason.text,
		     (unsigned long long)buf->nr_salvaged, (unsigned long long)c->nr_records);
	return CHUNK_SALVAGED;
}

/* The records of a chunk that was never completed: it has no checksum that could match. */
static int open_torn(const struct chunk_table *t, const struct chunk *chunk, const uint8_t *payload,
		     struct chunk_buffer *buf, const uint8_t **ret_records, size_t *ret_len,
		     struct ts_error *err)
{
	const uint8_t *records = payload;
	bool is_broken = false, is_damaged;
	size_t len = chunk->bytes;

	if (chunk->flags & CHUNK_COMPRESSED) {
		int rc = decompress_torn(chunk, payload, buf, &len, &is_broken, err);

		if (rc)
			return rc;
		records = buf->plain.data;
	}
	len = chunk_salvage_whole(t->events, chunk, records, len, &is_damaged);
	if (is_broken || is_damaged) {
		bad_chunk("a record of it is damaged, and its recorder did not complete it", err);
		return salvage_payload(t, chunk, payload, buf, ret_records, ret_len, err);
	}
	*ret_records = records;
	*ret_len = len;
	return 0;
}

/* The records of a payload that was mapped or read. Its header must stand before it. */
static int open_payload(const struct chunk_table *t, const struct chunk *chunk,
			const uint8_t *payload, struct chunk_buffer *buf,
			const uint8_t **ret_records, size_t *ret_len, struct ts_error *err)
{
	if (chunk->flags & CHUNK_TORN)
		return open_torn(t, chunk, payload, buf, ret_records, ret_len, err);
	if (chunk->flags & CHUNK_CHECKSUM && !is_verified(t, chunk)) {
		if (verify_payload(chunk, payload, err))
			return salvage_payload(t, chunk, payload, buf, ret_records, ret_len, err);
		note_verified(t, chunk);
	}
	if (chunk->flags & CHUNK_COMPRESSED) {
		int rc = decompress_payload(chunk, payload, buf, err);

		if (rc)
			return rc;
		payload = buf->plain.data;
	}
	*ret_records = payload;
	*ret_len = chunk->flags & CHUNK_COMPRESSED ? chunk->raw_bytes : chunk->bytes;
	return 0;
}

static int unpack(const struct chunk *c, struct chunk_buffer *buf, struct ts_error *err)
{
	int rc = grow_plain(buf, c->raw_bytes, err);

	if (!rc && !buf->decompressor.dctx)
		rc = ts_decompressor_init(&buf->decompressor, err);
	return rc ? rc
		  : packed_range_expand(buf->decompressor.dctx, c->inflated, c->packed_bytes,
					buf->plain.data, c->raw_bytes, err);
}

static int give_inflated(const struct chunk_table *t, const struct chunk *chunk,
			 struct chunk_buffer *buf, const uint8_t **ret_records, size_t *ret_len,
			 struct ts_error *err)
{
	int rc = chunk->packed_bytes ? unpack(chunk, buf, err) : 0;

	if (rc)
		return rc;
	note_load(t, chunk);
	*ret_records = chunk->packed_bytes ? buf->plain.data : chunk->inflated;
	*ret_len = chunk->raw_bytes;
	return 0;
}

static void begin_load(const struct chunk_table *t, struct chunk_buffer *buf)
{
	buf->memory = t->capture->memory;
	buf->nr_salvaged = 0;
	buf->holes.nr = 0;
}

int chunk_load(const struct chunk_table *t, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_error *err)
{
	begin_load(t, buf);
	if (chunk->inflated)
		return give_inflated(t, chunk, buf, ret_records, ret_len, err);
	return open_payload(t, chunk, map_chunk(t, chunk), buf, ret_records, ret_len, err);
}

int chunk_read(const struct chunk_table *t, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_error *err)
{
	const struct map *map = &t->capture->streams[chunk->stream].map;
	const uint64_t bytes = chunk->header_bytes + chunk->bytes;
	int rc;

	begin_load(t, buf);
	memory_keep_narrow(buf->memory);
	if (chunk->inflated || bytes > CHUNK_READ_MAX || !map_can_read(map) ||
	    !has_room_to_read(buf, bytes))
		return chunk_load(t, chunk, buf, ret_records, ret_len, err);
	note_load(t, chunk);
	rc = map_read(map, chunk->offset - chunk->header_bytes, bytes, buf->disk.data);
	if (rc)
		return ts_error_set(err, EBADMSG, "it cannot be read: %s",
				    rc == -ENODATA ? "the file is shorter by now" : strerror(-rc));
	return open_payload(t, chunk, buf->disk.data + chunk->header_bytes, buf, ret_records,
			    ret_len, err);
}

int chunk_load_some(const struct chunk_table *t, const struct chunk *chunk,
		    struct chunk_buffer *buf, const uint8_t **ret_records, size_t *ret_len)
{
	struct ts_error ignored;
	int rc = chunk_load(t, chunk, buf, ret_records, ret_len, &ignored);

	if (rc < 0) {
		*ret_records = NULL;
		*ret_len = 0;
	}
	return rc == -ENOMEM ? rc : 0;
}

bool chunk_is_intact(const struct chunk_table *t, const struct chunk *c)
{
	const uint8_t *payload;
	uint64_t checksum;

	if (!(c->flags & CHUNK_CHECKSUM) || c->flags & CHUNK_TORN || c->inflated)
		return false;
	payload = map_chunk(t, c);
	return find_checksum(c, payload, &checksum) && ts_checksum(payload, c->bytes) == checksum;
}

/*
 * If a part of a large page of the file is given back, the rest is mapped page by page from then
 * on, and all CPUs are notified of each part. So whole steps are given back, when a chunk reaches
 * the next step, and one step late: other threads may still read beside the chunk.
 */
void chunk_unload(const struct chunk_table *t, const struct chunk *c)
{
	uint64_t from = c->offset - c->header_bytes, to = c->offset + c->bytes;

	if (!t->is_large || c->inflated)
		return;
	if (!t->is_sparse) {
		from = ts_max(from / UNLOAD_BYTES, 1u) - 1;
		to = ts_max(to / UNLOAD_BYTES, 1u) - 1;
		from *= UNLOAD_BYTES;
		to *= UNLOAD_BYTES;
	}
	if (to > from)
		map_give_back(&t->capture->streams[c->stream].map, from, to - from);
}

void chunk_buffer_release(struct chunk_buffer *buf)
{
	ts_decompressor_release(&buf->decompressor);
	memory_free(buf->plain.data);
	memory_free(buf->disk.data);
	free(buf->holes.items);
	*buf = (struct chunk_buffer){0};
}
