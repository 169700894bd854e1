// SPDX-License-Identifier: Apache-2.0
#include "reader/compact/compact_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/lengthened.h"
#include "reader/chunks/record_sanity.h"
#include "reader/chunks/stream_walk.h"
#include "reader/compact/compact_sample.h"

#define CHUNK_BYTES (1u << 20) /* records of others: a chunk ends when it has this many bytes */
#define RINGS_MAX   4096u      /* more CPUs than any machine has; CPUs beyond it share a ring */
#define LOST_NR_OFF 16	       /* in a LOST record */

static int no_memory(const struct compact_worker *w, struct ts_error *err)
{
	return merge_no_memory(&w->compact->merge, err);
}

/* --- the batch --- */

/* Empties the batch and keeps its memory. */
static void clear_batch(struct compact_batch *b)
{
	ts_bytes_clear(&b->payload);
	damage_release(&b->damage);
	b->nr = 0;
	b->counts = (struct compact_counts){0};
}

void compact_batch_release(struct compact_batch *b)
{
	clear_batch(b);
	ts_bytes_release(&b->payload);
	free(b->chunks);
	*b = (struct compact_batch){0};
}

static int grow_chunks(struct compact_batch *b)
{
	size_t cap = b->cap ? 2 * b->cap : 16;
	struct compact_chunk *chunks;

	if (b->nr < b->cap)
		return 0;
	chunks = realloc(b->chunks, cap * sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	b->chunks = chunks;
	b->cap = cap;
	return 0;
}

/* Adds a chunk of these records. *c has the header fields that do not follow from the records. */
static int add_chunk(struct compact_worker *w, struct compact_batch *b, struct ts_chunk *c,
		     struct ts_bytes *records)
{
	struct chunk now = {0};
	uint8_t *to;

	if (!records->len)
		return 0;
	to = ts_bytes_reserve(&b->payload, ts_compress_bound(records->len));
	if (!to || ts_bytes_failed(records) || grow_chunks(b))
		return -ENOMEM;
	ts_lengthened_mend_run(records->data, records->len, w->compact->layout.trailer_bytes);
	if (c->kind == TS_RING_SIDEBAND)
		c->flags |= TS_CHUNK_MENDED;
	range_read(&w->compact->layout, records->data, records->len, &now, NULL);
	c->raw_bytes = records->len;
	c->payload_bytes = ts_compress(&w->compressor, records->data, records->len, to);
	c->flags |= TS_CHUNK_COMPRESSED;
	c->time_min_ns = now.time_max_ns ? now.time_min_ns : 0;
	c->time_max_ns = now.time_max_ns;
	c->nr_records = now.nr_records;
	b->chunks[b->nr++] = (struct compact_chunk){.header = *c, .offset = b->payload.len};
	b->payload.len += c->payload_bytes;
	b->counts.nr_records += c->nr_records;
	return 0;
}

/* --- one record --- */

/* Makes in w->record the record of a sample without its dump. */
static const void *unwind_sample(struct compact_worker *w, const struct perf_event_header *hdr,
				 const struct ts_sample *s, struct compact_counts *counts,
				 size_t *ret_bytes)
{
	struct ts_sample joined = *s;

	w->compact->unwinding->join(w->unwinder, &joined);
	counts->nr_dumps++;
	counts->nr_frames += joined.callchain.nr - s->callchain.nr;
	counts->dump_bytes += (uint64_t)(s->dump_end - s->dump_begin);
	*ret_bytes = compact_sample(hdr, s, &joined.callchain, w->record);
	return w->record;
}

/*
 * Returns the new record, of *ret_bytes bytes: the old one, or one without its dump. NULL: the
 * record is damaged.
 */
static const void *make_record(struct compact_worker *w, const struct perf_event_header *hdr,
			       struct compact_counts *counts, size_t *ret_bytes)
{
	const struct ts_events *events = &w->compact->events;
	struct ts_sample sample;
	bool is_unknown;

	*ret_bytes = ts_record_load_header(hdr).size;
	if (record_sanity_check(events, hdr, &is_unknown))
		return NULL;
	if (ts_record_load_u32(hdr) != PERF_RECORD_SAMPLE)
		return hdr;
	if (ts_decode_sample(events, hdr, &sample) != TS_DECODE_OK) {
		counts->nr_unknown++;
		return hdr;
	}
	if (!compact_is_dumping(&events->items[sample.sid.event].attr))
		return hdr;
	if ((sample.dump_end - sample.dump_begin) % 8) /* no kernel dumps parts of words */
		return NULL;
	return unwind_sample(w, hdr, &sample, counts, ret_bytes);
}

static int note_damage(struct compact_worker *w, const struct chunk *chunk, struct compact_batch *b,
		       struct ts_error *err)
{
	struct chunk_damage place = chunk_damaged(chunk, &w->buf, err);

	return damage_add(&b->damage, &place) ? no_memory(w, err) : 0;
}

/*
 * Loads a chunk. Returns 1 with its records; 0: none of them can be read; or -errno. Damage is
 * noted.
 */
static int load_batch(struct compact_worker *w, const struct chunk *chunk, struct compact_batch *b,
		      const uint8_t **ret_records, size_t *ret_len, struct ts_error *err)
{
	int rc = chunk_read(&w->compact->merge.table, chunk, &w->buf, ret_records, ret_len, err);
	const bool is_read = rc >= 0;

	if (rc == -EBADMSG || rc == CHUNK_SALVAGED)
		rc = note_damage(w, chunk, b, err);
	if (rc)
		return rc == -ENOMEM ? no_memory(w, err) : rc;
	return is_read;
}

/* --- a chunk of ours --- */

/* Makes the chunk of a chunk of ours. Records of tools have no place in our streams. */
static void take_own(struct compact_worker *w, const uint8_t *records, size_t len,
		     struct compact_counts *counts)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;

	ts_bytes_clear(&w->own);
	while ((hdr = chunk_walk_next(&walk))) {
		size_t bytes = 0;
		const void *record = ts_record_load_u32(hdr) < TS_RECORD_USER_START
					     ? make_record(w, hdr, counts, &bytes)
					     : NULL;

		if (record)
			ts_bytes_put(&w->own, record, bytes);
		else
			counts->nr_unsound++;
	}
}

static int make_own(struct compact_worker *w, const struct merge_entry *e, struct compact_batch *b,
		    struct ts_error *err)
{
	const struct merge *m = &w->compact->merge;
	const struct chunk *chunk = &m->table.chunks[e->chunk];
	const uint8_t *records;
	struct ts_chunk c;
	size_t len;
	int rc = load_batch(w, chunk, b, &records, &len, err);

	if (rc <= 0)
		return rc;
	if (!stream_walk_header(&m->capture, chunk, &c)) {
		ts_error_set(err, EBADMSG, "its header is damaged");
		return note_damage(w, chunk, b, err);
	}
	take_own(w, records, len, &b->counts);
	return ts_bytes_failed(&w->own) || add_chunk(w, b, &c, &w->own) ? no_memory(w, err) : 0;
}

/* --- chunks of others --- */

static uint32_t key_of(uint32_t cpu, bool is_sideband)
{
	return cpu >= UINT32_MAX / 2 ? UINT32_MAX - is_sideband : 2 * cpu + is_sideband;
}

static struct compact_ring *find_ring(struct compact_worker *w, uint32_t cpu, bool is_sideband)
{
	struct hash_walk walk;
	struct compact_ring *grown;
	uint32_t at;

	cpu = w->nr_rings < RINGS_MAX && cpu < UINT32_MAX / 2 ? cpu : UINT32_MAX;
	walk = hash_walk(&w->by_key, key_of(cpu, is_sideband));
	if (hash_walk_next(&w->by_key, &walk, &at))
		return &w->rings[at];
	grown = realloc(w->rings, (w->nr_rings + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	w->rings = grown;
	grown[w->nr_rings] = (struct compact_ring){.cpu = cpu, .is_sideband = is_sideband};
	if (hash_index_add(&w->by_key, key_of(cpu, is_sideband), (uint32_t)w->nr_rings))
		return NULL;
	return &grown[w->nr_rings++];
}

static int end_chunk(struct compact_worker *w, struct compact_ring *r, struct compact_batch *b)
{
	struct ts_chunk c = {
		.ring = key_of(r->cpu, r->is_sideband),
		.cpu = r->cpu,
		.kind = r->is_sideband ? TS_RING_SIDEBAND : TS_RING_SAMPLES,
		.flags = r->lost ? TS_CHUNK_AFTER_LOSS : 0,
		.lost = r->lost,
		.lost_cause = r->lost ? TS_LOSS_RING_FULL : TS_LOSS_NONE,
	};
	int rc;

	memcpy(c.uuid, w->compact->uuid, sizeof(c.uuid));
	rc = add_chunk(w, b, &c, &r->records);
	ts_bytes_clear(&r->records);
	r->nr = r->lost = 0;
	return rc;
}

static void put_lost(struct compact_ring *r, uint64_t nr, struct compact_counts *counts)
{
	r->lost += nr;
	counts->nr_lost += nr;
}

static bool is_of_tasks(uint32_t type)
{
	return type < 64 && CHUNK_TASK_TYPES >> type & 1;
}

static int put_foreign(struct compact_worker *w, const struct perf_event_header *hdr,
		       struct compact_batch *b)
{
	uint32_t type = ts_record_load_u32(hdr);
	struct ts_sample_id sid = {.cpu = UINT32_MAX};
	struct compact_ring *r;
	const void *record;
	size_t bytes;

	if (!merge_is_streamed(&w->compact->merge, hdr))
		return 0;
	record = make_record(w, hdr, &b->counts, &bytes);
	if (!record) {
		b->counts.nr_unsound++;
		return 0;
	}
	if (ts_decode_id(&w->compact->events, hdr, &sid) != TS_DECODE_OK)
		sid.cpu = UINT32_MAX;
	r = find_ring(w, sid.cpu, is_of_tasks(type));
	if (!r)
		return -ENOMEM;
	ts_bytes_put(&r->records, record, bytes);
	if (type == PERF_RECORD_LOST)
		put_lost(r, ts_record_load_u64((const uint8_t *)hdr + LOST_NR_OFF), &b->counts);
	return r->records.len < CHUNK_BYTES ? 0 : end_chunk(w, r, b);
}

static int take_foreign(struct compact_worker *w, const struct chunk *chunk,
			struct compact_batch *b, struct ts_error *err)
{
	const struct perf_event_header *hdr;
	const uint8_t *records;
	struct chunk_walk walk;
	size_t len;
	int rc = load_batch(w, chunk, b, &records, &len, err);

	if (rc <= 0)
		return rc;
	walk = (struct chunk_walk){records, records + len};
	rc = 0;
	while (!rc && (hdr = chunk_walk_next(&walk)))
		rc = put_foreign(w, hdr, b);
	return rc ? no_memory(w, err) : 0;
}

/* Drops the rings, so that the result of a run does not depend on earlier runs of the worker. */
static void forget_rings(struct compact_worker *w)
{
	for (size_t i = 0; i < w->nr_rings; i++)
		ts_bytes_release(&w->rings[i].records);
	free(w->rings);
	hash_index_release(&w->by_key);
	w->rings = NULL;
	w->nr_rings = 0;
}

static int make_foreign(struct compact_worker *w, const struct merge_entry *entries, size_t nr,
			struct compact_batch *b, struct ts_error *err)
{
	const struct chunk *chunks = w->compact->merge.table.chunks;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++)
		rc = take_foreign(w, &chunks[entries[i].chunk], b, err);
	for (size_t i = 0; !rc && i < w->nr_rings; i++)
		if (end_chunk(w, &w->rings[i], b))
			rc = no_memory(w, err);
	forget_rings(w);
	return rc;
}

int compact_worker_make(struct compact_worker *w, const struct merge_entry *entries, size_t nr,
			struct compact_batch *b, struct ts_error *err)
{
	clear_batch(b);
	return entries->is_ours ? make_own(w, entries, b, err)
				: make_foreign(w, entries, nr, b, err);
}

/* --- the worker --- */

int compact_worker_init(struct compact_worker *w, const struct compact *c, struct ts_error *err)
{
	int rc;

	*w = (struct compact_worker){.compact = c};
	w->record = malloc(COMPACT_SAMPLE_MAX);
	if (!w->record)
		return no_memory(w, err);
	rc = ts_compressor_init(&w->compressor, COMPACT_LEVEL, err);
	if (rc)
		return rc;
	w->unwinder = c->unwinding->open(c, err);
	return w->unwinder ? 0 : -err->code;
}

void compact_worker_release(struct compact_worker *w)
{
	if (w->unwinder)
		w->compact->unwinding->close(w->unwinder);
	forget_rings(w);
	ts_bytes_release(&w->own);
	ts_compressor_release(&w->compressor);
	chunk_buffer_release(&w->buf);
	free(w->record);
	*w = (struct compact_worker){0};
}
