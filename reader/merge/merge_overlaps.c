// SPDX-License-Identifier: Apache-2.0
/*
 * Leaves out what chunks of different parts have in common without being the same.
 *
 * Chunks of one ring that overlap in time and are not the same were written by different snapshots.
 * Records of the later one that the earlier one has are left out, each as often as it is there.
 * Captures of others have no rings, so their chunks may overlap with all chunks.
 */
#include <errno.h>
#include <string.h>

#include "common/perf/lengthened.h"
#include "common/stream/checksum.h"
#include "reader/merge/merge_entries.h"

struct seen { /* counts the records of the earlier chunk by hash; power of two slots */
	struct {
		uint64_t hash; /* 0: free */
		uint32_t nr;
	} * slots;
	size_t mask;
};

static size_t slot_of(const struct seen *s, uint64_t hash)
{
	size_t i = hash & s->mask;

	while (s->slots[i].hash && s->slots[i].hash != hash)
		i = (i + 1) & s->mask;
	return i;
}

/*
 * The hash of a record in its mended form: a record that was mended in one part only is the same.
 */
static uint64_t hash_record(const struct merge *m, const struct chunk_walk *w,
			    const struct perf_event_header *hdr)
{
	size_t bytes = (size_t)(w->at - (const uint8_t *)hdr);
	_Alignas(8) uint8_t mended[UINT16_MAX];
	const void *record = hdr;
	uint64_t hash;

	if (ts_lengthened_is_record(hdr, m->layout.trailer_bytes)) {
		record = memcpy(mended, hdr, bytes);
		ts_lengthened_mend(mended, m->layout.trailer_bytes);
	}
	hash = ts_checksum(record, bytes);
	return hash ? hash : 1;
}

static int fill_seen(struct merge *m, struct seen *s, const uint8_t *records, size_t len)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;
	size_t nr = 0, cap = 64;

	while (chunk_walk_next(&walk))
		nr++;
	while (cap < 2 * nr)
		cap *= 2;
	s->mask = cap - 1;
	s->slots = memory_new(m->capture.memory, cap, sizeof(*s->slots));
	if (!s->slots)
		return -ENOMEM;
	walk.at = records;
	while ((hdr = chunk_walk_next(&walk))) {
		size_t i = slot_of(s, hash_record(m, &walk, hdr));

		s->slots[i].hash = hash_record(m, &walk, hdr);
		s->slots[i].nr++;
	}
	return 0;
}

struct rest {		  /* the records that the earlier chunk does not have */
	uint8_t *records; /* a block of memory */
	size_t bytes;
	uint64_t nr_streamed, nr_seen; /* streamed records: in the rest; left out */
};

static void copy_unseen(struct merge *m, struct seen *s, const uint8_t *records, size_t len,
			struct rest *rest)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;

	while ((hdr = chunk_walk_next(&walk))) {
		size_t bytes = (size_t)(walk.at - (const uint8_t *)hdr);
		size_t i = slot_of(s, hash_record(m, &walk, hdr));
		bool is_streamed = merge_is_streamed(m, hdr);

		if (s->slots[i].nr && is_streamed) {
			s->slots[i].nr--;
			rest->nr_seen++;
			continue;
		}
		rest->nr_streamed += is_streamed;
		memcpy(rest->records + rest->bytes, hdr, bytes);
		rest->bytes += bytes;
	}
}

/* Replaces the records of a chunk by these, plain; takes ownership of the block. */
static void replace_records(struct merge *m, struct merge_entry *e, uint8_t *records, size_t len)
{
	struct chunk *c = &m->table.chunks[e->chunk], now = {0};

	range_read(&m->layout, records, len, &now, NULL);
	memory_free((void *)(uintptr_t)c->inflated);
	c->inflated = records;
	c->packed_bytes = 0;
	c->raw_bytes = len;
	c->nr_records = now.nr_records;
	c->time_min_ns = now.time_min_ns;
	c->time_max_ns = now.time_max_ns;
	c->flags &= ~(uint32_t)(CHUNK_COMPRESSED | CHUNK_CHECKSUM | CHUNK_TORN);
	e->is_trimmed = true;
}

/* Trims the chunk to the rest, or leaves it out; takes ownership of rest->records. */
static void take_rest(struct merge *m, struct merge_entry *e, const struct rest *rest)
{
	if (rest->nr_seen)
		m->parts[e->part].is_additive = false;
	if (rest->nr_seen && rest->nr_streamed) {
		m->nr_twice += rest->nr_seen;
		replace_records(m, e, rest->records, rest->bytes);
		return;
	}
	memory_free(rest->records);
	if (rest->nr_seen)
		merge_leave_out_entry(m, e);
}

static int trim_by(struct merge *m, struct merge_entry *e, struct seen *s, struct chunk_buffer *buf,
		   struct ts_error *err)
{
	struct rest rest = {0};
	const uint8_t *records;
	size_t len;
	int rc = merge_load(m, merge_chunk_of(m, e), buf, &records, &len, NULL, err);

	if (rc <= 0) {
		e->is_left_out |= !rc;
		return rc;
	}
	rest.records = memory_new(m->capture.memory, len + 1, 1);
	if (!rest.records)
		return -ENOMEM;
	copy_unseen(m, s, records, len, &rest);
	take_rest(m, e, &rest);
	return 0;
}

/* Leaves the records out of the later chunk that the earlier one has. */
static int trim_overlap(struct merge *m, struct merge_entry *x, struct merge_entry *y,
			struct chunk_buffer *buf, struct ts_error *err)
{
	struct merge_entry *early = x->part < y->part ? x : y, *late = early == x ? y : x;
	const uint8_t *records;
	struct seen seen = {0};
	size_t len;
	int rc = merge_load(m, merge_chunk_of(m, early), buf, &records, &len, NULL, err);

	if (rc <= 0) {
		early->is_left_out |= !rc;
		return rc;
	}
	rc = fill_seen(m, &seen, records, len);
	if (!rc)
		rc = trim_by(m, late, &seen, buf, err);
	memory_free(seen.slots);
	return rc;
}

static int compare_by_time(const void *a, const void *b, void *m)
{
	const struct merge_entry *x = *(struct merge_entry *const *)a;
	const struct merge_entry *y = *(struct merge_entry *const *)b;
	const struct chunk *p = merge_chunk_of(m, x), *q = merge_chunk_of(m, y);
	int by = ((const struct merge *)m)->has_foreign ? 0 : merge_compare_u64(p->ring, q->ring);

	by = by ? by : merge_compare_u64(p->time_min_ns, q->time_min_ns);
	return by ? by : x < y ? -1 : x > y;
}

static bool share_ring(const struct merge *m, const struct merge_entry *x,
		       const struct merge_entry *y)
{
	return m->has_foreign || merge_chunk_of(m, x)->ring == merge_chunk_of(m, y)->ring;
}

/*
 * Trims each pair of overlapping chunks of different parts. The view is sorted by ring, then lowest
 * time.
 */
static int trim_overlaps(struct merge *m, struct merge_view *v, struct ts_error *err)
{
	struct chunk_buffer buf = {0};
	size_t begin = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < v->nr; i++) {
		uint64_t from = merge_chunk_of(m, v->items[i])->time_min_ns;

		/* chunks that end before this time overlap with no further chunk */
		while (begin < i && (!share_ring(m, v->items[begin], v->items[i]) ||
				     merge_chunk_of(m, v->items[begin])->time_max_ns < from))
			begin++;
		for (size_t k = begin; !rc && k < i; k++) {
			struct merge_entry *x = v->items[k], *y = v->items[i];

			if (x->part == y->part || x->is_left_out || y->is_left_out ||
			    !merge_chunk_of(m, y)->time_max_ns ||
			    merge_chunk_of(m, x)->time_max_ns < from)
				continue;
			rc = trim_overlap(m, x, y, &buf, err);
		}
	}
	chunk_buffer_release(&buf);
	return rc;
}

int merge_leave_out_overlaps(struct merge *m, struct ts_error *err)
{
	struct merge_view v;
	int rc;

	if (merge_view_open(&v, m, compare_by_time))
		return -ENOMEM;
	rc = trim_overlaps(m, &v, err);
	merge_view_close(&v);
	return rc;
}
