// SPDX-License-Identifier: Apache-2.0
/*
 * Chooses the chunks of the merged capture and their order.
 *
 *	order      by stream, then cut, then part, then place: records of a ring stay in order,
 *	           whatever the order of the parts on the command line
 *	twice      chunks of equal ring, times, length and checksum are the same chunk; the part
 *	           that comes first keeps it, unless it is damaged there
 *	overlap    chunks of one ring that overlap in time and are not the same were written
 *	           by different snapshots: records of the later one that the earlier one has are
 *	           left out, each as often as it is there
 *
 * Captures of others have no rings, so their chunks may overlap with all chunks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/lengthened.h"
#include "common/stream/checksum.h"
#include "reader/merge/merge.h"

/* The kernel maps this much around a page that is touched. */
#define AROUND_BYTES (64u << 10)

/* --- the entries --- */

uint32_t merge_number_of(const struct merge *m, uint32_t stream)
{
	const char *dot = strrchr(m->capture.streams[stream].path, '.');
	const struct merge_part *part = merge_part_of(m, stream);

	if (part->capture.kind == CAPTURE_FILE || !dot)
		return 0;
	return (uint32_t)(strtoul(dot + 1, NULL, 10) % MERGE_STREAMS_MAX);
}

static const struct chunk *chunk_of(const struct merge *m, const struct merge_entry *e)
{
	return &m->table.chunks[e->chunk];
}

/* Reads the fields that only the header has; the index has given the others. */
static void enter_own(struct merge *m, struct merge_entry *e)
{
	struct chunk *chunk = &m->table.chunks[e->chunk];
	const struct capture_stream *s = &m->capture.streams[chunk->stream];
	uint64_t offset = chunk->offset - chunk->header_bytes;
	struct ts_chunk header;

	e->is_ours = true;
	chunk_note_mapped(&m->table, AROUND_BYTES);
	if (ts_chunk_parse(s->map.data + offset, s->end - offset, offset, &header) != TS_FOUND_OK)
		return; /* loading it notes the damage */
	e->cut = header.cut;
	e->checksum = header.checksum;
}

static int compare_parts(const void *a, const void *b)
{
	const struct merge_part *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return x->first_stream < y->first_stream ? -1 : 1;
}

/* Sorts parts by the lowest time of their chunks. Streams keep their numbers. */
static void order_parts(struct merge *m)
{
	struct merge_part *part = NULL;
	bool is_data = false;

	for (size_t i = 0; i < m->table.nr; i++) {
		const struct chunk *c = &m->table.chunks[i];

		if (!i || c->stream != c[-1].stream) {
			part = merge_part_of(m, c->stream);
			is_data = merge_is_data(m, c->stream);
		}
		if (!is_data && c->time_max_ns && c->time_min_ns < part->first_ns)
			part->first_ns = c->time_min_ns;
	}
	qsort(m->parts, m->nr_parts, sizeof(*m->parts), compare_parts);
}

static int list_entries(struct merge *m)
{
	uint32_t stream = UINT32_MAX, part = 0, number = 0;
	bool is_data = false;

	m->entries = memory_new(m->capture.memory, m->table.nr + 1, sizeof(*m->entries));
	if (!m->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->table.nr; i++) {
		const struct chunk *c = &m->table.chunks[i];
		struct merge_entry *e = &m->entries[m->nr_entries];

		if (c->stream != stream) {
			stream = c->stream;
			part = (uint32_t)(merge_part_of(m, stream) - m->parts);
			number = merge_number_of(m, stream);
			is_data = merge_is_data(m, stream);
		}
		if (is_data)
			continue;
		*e = (struct merge_entry){.chunk = i, .part = part, .stream = number};
		if (c->header_bytes)
			enter_own(m, e);
		m->parts[part].nr_chunks += e->is_ours || c->time_max_ns;
		m->has_foreign |= !e->is_ours;
		m->nr_entries++;
	}
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct merge_entry *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->cut != y->cut)
		return x->cut < y->cut ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* --- what is there twice --- */

/* An index of entries, sorted to find equal or overlapping chunks. */
struct view {
	const struct merge *m;
	struct merge_entry **items;
	size_t nr;
};

static int compare_u64(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/*
 * Compares two chunks; 0: they are the same. Entries that are the same stand in their order, so the
 * first is kept.
 */
static int compare_same(const struct merge *m, const struct merge_entry *x,
			const struct merge_entry *y)
{
	const struct chunk *a = chunk_of(m, x), *b = chunk_of(m, y);
	int by = compare_u64(x->checksum, y->checksum);

	by = by ? by : compare_u64(a->ring, b->ring);
	by = by ? by : compare_u64(a->bytes, b->bytes);
	by = by ? by : compare_u64(a->time_min_ns, b->time_min_ns);
	by = by ? by : compare_u64(a->time_max_ns, b->time_max_ns);
	/* chunks without a time must also have the same cut */
	return by || a->time_max_ns ? by : compare_u64(x->cut, y->cut);
}

static int compare_view_same(const void *a, const void *b, void *m)
{
	const struct merge_entry *x = *(struct merge_entry *const *)a;
	const struct merge_entry *y = *(struct merge_entry *const *)b;
	int by = compare_same(m, x, y);

	return by ? by : x < y ? -1 : x > y;
}

static int compare_view_time(const void *a, const void *b, void *m)
{
	const struct merge_entry *x = *(struct merge_entry *const *)a;
	const struct merge_entry *y = *(struct merge_entry *const *)b;
	const struct chunk *p = chunk_of(m, x), *q = chunk_of(m, y);
	int by = ((const struct merge *)m)->has_foreign ? 0 : compare_u64(p->ring, q->ring);

	by = by ? by : compare_u64(p->time_min_ns, q->time_min_ns);
	return by ? by : x < y ? -1 : x > y;
}

static int open_view(struct view *v, struct merge *m)
{
	*v = (struct view){.m = m};
	v->items = memory_new(m->capture.memory, m->nr_entries + 1, sizeof(*v->items));
	if (!v->items)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_entries; i++)
		if (!m->entries[i].is_left_out)
			v->items[v->nr++] = &m->entries[i];
	return 0;
}

static void leave_out(struct merge *m, struct merge_entry *e)
{
	e->is_left_out = true;
	m->parts[e->part].nr_twice++;
	m->nr_twice += chunk_of(m, e)->nr_records;
}

/* Keeps one of two chunks that are the same: the first, unless its payload is damaged. */
static int keep_one(struct view *v, size_t *first, size_t next, struct merge *m,
		    struct chunk_buffer *buf, struct ts_error *err)
{
	const uint8_t *records;
	size_t len;
	int rc = merge_load(m, chunk_of(m, v->items[*first]), buf, &records, &len, NULL, err);

	if (rc < 0)
		return rc;
	if (rc == MERGE_SOUND) {
		leave_out(m, v->items[next]);
		return 0;
	}
	v->items[*first]->is_left_out = true;
	*first = next;
	return 0;
}

static int leave_out_same(struct merge *m, struct ts_error *err)
{
	struct chunk_buffer buf = {0};
	size_t first = 0;
	struct view v;
	int rc = 0;

	if (open_view(&v, m))
		return -ENOMEM;
	qsort_r(v.items, v.nr, sizeof(*v.items), compare_view_same, m);
	for (size_t i = 1; !rc && i < v.nr; i++) {
		if (!v.items[i]->is_ours || compare_same(m, v.items[first], v.items[i]) != 0)
			first = i;
		else if (v.items[first]->part != v.items[i]->part)
			rc = keep_one(&v, &first, i, m, &buf, err);
	}
	chunk_buffer_release(&buf);
	memory_free(v.items);
	return rc;
}

/* --- what overlaps --- */

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
		leave_out(m, e);
}

static int trim_by(struct merge *m, struct merge_entry *e, struct seen *s, struct chunk_buffer *buf,
		   struct ts_error *err)
{
	struct rest rest = {0};
	const uint8_t *records;
	size_t len;
	int rc = merge_load(m, chunk_of(m, e), buf, &records, &len, NULL, err);

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
	int rc = merge_load(m, chunk_of(m, early), buf, &records, &len, NULL, err);

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

static bool share_ring(const struct merge *m, const struct merge_entry *x,
		       const struct merge_entry *y)
{
	return m->has_foreign || chunk_of(m, x)->ring == chunk_of(m, y)->ring;
}

/*
 * Trims each pair of overlapping chunks of different parts. The view is sorted by ring, then lowest
 * time.
 */
static int trim_overlaps(struct merge *m, struct view *v, struct ts_error *err)
{
	struct chunk_buffer buf = {0};
	size_t begin = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < v->nr; i++) {
		uint64_t from = chunk_of(m, v->items[i])->time_min_ns;

		/* chunks that end before this time overlap with no further chunk */
		while (begin < i && (!share_ring(m, v->items[begin], v->items[i]) ||
				     chunk_of(m, v->items[begin])->time_max_ns < from))
			begin++;
		for (size_t k = begin; !rc && k < i; k++) {
			struct merge_entry *x = v->items[k], *y = v->items[i];

			if (x->part == y->part || x->is_left_out || y->is_left_out ||
			    !chunk_of(m, y)->time_max_ns || chunk_of(m, x)->time_max_ns < from)
				continue;
			rc = trim_overlap(m, x, y, &buf, err);
		}
	}
	chunk_buffer_release(&buf);
	return rc;
}

static int leave_out_overlaps(struct merge *m, struct ts_error *err)
{
	struct view v;
	int rc;

	if (open_view(&v, m))
		return -ENOMEM;
	qsort_r(v.items, v.nr, sizeof(*v.items), compare_view_time, m);
	rc = trim_overlaps(m, &v, err);
	memory_free(v.items);
	return rc;
}

/* --- the whole --- */

static void judge_parts(struct merge *m)
{
	for (size_t i = 0; i < m->table.damage.nr && i < damage_kept(&m->table.damage); i++)
		merge_part_of(m, m->table.damage.items[i].stream)->is_sound = false;
	for (size_t i = 0; i < m->nr_parts; i++) {
		struct merge_part *part = &m->parts[i];

		part->is_new = !i || part->nr_twice < part->nr_chunks;
		part->is_additive &= !part->nr_twice;
	}
}

int merge_choose_chunks(struct merge *m, struct ts_error *err)
{
	int rc;

	order_parts(m);
	for (size_t i = 0; i < m->nr_parts; i++)
		m->parts[i].is_additive = true;
	rc = list_entries(m);
	if (!rc)
		qsort(m->entries, m->nr_entries, sizeof(*m->entries), compare_entries);
	if (!rc)
		rc = leave_out_same(m, err);
	if (!rc)
		rc = leave_out_overlaps(m, err);
	judge_parts(m);
	return rc == -ENOMEM ? merge_no_memory(m, err) : rc;
}
