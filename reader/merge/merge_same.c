// SPDX-License-Identifier: Apache-2.0
/*
 * Leaves out chunks that several parts have, and finds the place of those that only a later part has.
 *
 *	twice      of chunks that are the same, the soundest is kept at the place of the first
 *	           one. So the merged capture does not depend on the copy that is damaged.
 *	place      a chunk of a later part stands behind the one that it follows in its part,
 *	           if parts have chunks of the same stream and cut: A misses 2, B misses 4
 *
 *	           A   1   3   4        merged   1   2   3   4
 *	           B   1   2   3
 *
 * Two chunks are the same if ring, length, times and checksum are equal. A chunk with a damaged
 * header is known from the index, which has no checksum: it is the same by the rest.
 */
#include <errno.h>
#include <string.h>

#include "reader/merge/merge_entries.h"

#define NO_ENTRY UINT32_MAX

struct same {
	struct merge *m;
	struct merge_view view;
	uint32_t *stands_for; /* by entry: the one at whose place its chunk is; a block of memory */
	struct chunk_buffer buf;
};

static bool has_checksum(const struct merge_entry *e)
{
	return e->checksum != 0;
}

/* Compares all but the checksums. */
static int compare_kind(const struct merge *m, const struct merge_entry *x,
			const struct merge_entry *y)
{
	const struct chunk *a = merge_chunk_of(m, x), *b = merge_chunk_of(m, y);
	int by = merge_compare_u64(a->ring, b->ring);

	by = by ? by : merge_compare_u64(x->payload_bytes, y->payload_bytes);
	by = by ? by : merge_compare_u64(a->time_min_ns, b->time_min_ns);
	by = by ? by : merge_compare_u64(a->time_max_ns, b->time_max_ns);
	/* chunks without a time must also have the same cut */
	return by || a->time_max_ns ? by : merge_compare_u64(x->cut, y->cut);
}

/* Chunks without a checksum come last: they are the same as the one before them. */
static int compare_for_view(const void *a, const void *b, void *m)
{
	const struct merge_entry *x = *(struct merge_entry *const *)a;
	const struct merge_entry *y = *(struct merge_entry *const *)b;
	int by = compare_kind(m, x, y);

	by = by ? by : (int)has_checksum(y) - (int)has_checksum(x);
	by = by ? by : merge_compare_u64(x->checksum, y->checksum);
	return by ? by : x < y ? -1 : x > y;
}

static bool are_same(const struct merge *m, const struct merge_entry *x,
		     const struct merge_entry *y)
{
	return x->is_ours && y->is_ours && !compare_kind(m, x, y) &&
	       (x->checksum == y->checksum || !has_checksum(x) || !has_checksum(y));
}

/* --- the soundest --- */

/*
 * The bytes of the records that can be read of a chunk that is damaged or incomplete; of a sound
 * one: UINT64_MAX. 0 or -errno.
 */
static int find_soundness(struct same *s, const struct merge_entry *e, uint64_t *ret,
			  struct ts_error *err)
{
	const struct chunk *chunk = merge_chunk_of(s->m, e);
	const uint8_t *records;
	size_t len = 0;
	int rc = chunk_load(&s->m->table, chunk, &s->buf, &records, &len, err);

	if (rc < 0 && rc != -EBADMSG)
		return rc;
	*ret = rc == -EBADMSG ? 0 : len;
	if (rc == CHUNK_SOUND && !(chunk->flags & CHUNK_TORN))
		*ret = UINT64_MAX;
	return 0;
}

/* Is the chunk of y sounder than that of x? *ret is set if the result is 0; else it is -errno. */
static int compare_soundness(struct same *s, const struct merge_entry *x,
			     const struct merge_entry *y, bool *ret_is_sounder,
			     struct ts_error *err)
{
	uint64_t of_x, of_y = 0;
	int rc = find_soundness(s, x, &of_x, err);

	if (!rc && of_x != UINT64_MAX)
		rc = find_soundness(s, y, &of_y, err);
	*ret_is_sounder = !rc && of_y > of_x;
	return rc;
}

/* Their places stay: stream, cut and part. */
static void swap_chunks(struct merge_entry *x, struct merge_entry *y)
{
	const struct merge_entry was = *x;

	x->chunk = y->chunk;
	x->checksum = y->checksum;
	x->payload_bytes = y->payload_bytes;
	y->chunk = was.chunk;
	y->checksum = was.checksum;
	y->payload_bytes = was.payload_bytes;
}

/* Keeps the sounder one of two chunks that are the same, at the place of the first. */
static int keep_one(struct same *s, struct merge_entry **kept, struct merge_entry *next,
		    struct ts_error *err)
{
	struct merge_entry *first = *kept < next ? *kept : next;
	struct merge_entry *second = first == next ? *kept : next;
	bool is_sounder;
	int rc = compare_soundness(s, first, second, &is_sounder, err);

	if (rc)
		return rc;
	if (is_sounder) {
		swap_chunks(first, second);
		s->m->parts[second->part].makes_good = true;
	}
	merge_leave_out_entry(s->m, second);
	s->stands_for[second - s->m->entries] = (uint32_t)(first - s->m->entries);
	*kept = first;
	return 0;
}

static int leave_out_twice(struct same *s, struct ts_error *err)
{
	struct merge_entry **items = s->view.items, *kept = s->view.nr ? items[0] : NULL;
	int rc = 0;

	for (size_t i = 1; !rc && i < s->view.nr; i++) {
		if (!are_same(s->m, kept, items[i]))
			kept = items[i];
		else if (kept->part != items[i]->part)
			rc = keep_one(s, &kept, items[i], err);
	}
	return rc;
}

/* --- the place of the others --- */

/* Entries as a list; of one stream and cut at a time. */
struct places {
	uint32_t *next; /* by entry; a block of memory */
	uint32_t first, last;
};

static void put_behind(struct places *p, uint32_t at, uint32_t entry)
{
	uint32_t *to = at == NO_ENTRY ? &p->first : &p->next[at];

	p->next[entry] = *to;
	*to = entry;
	if (p->last == at)
		p->last = entry;
}

static bool are_of_one_cut(const struct merge_entry *x, const struct merge_entry *y)
{
	return x->stream == y->stream && x->cut == y->cut;
}

/* The entry at whose place the chunk is. */
static uint32_t place_of(const struct same *s, uint32_t entry)
{
	while (s->stands_for[entry] != entry)
		entry = s->stands_for[entry];
	return entry;
}

/* Has the chunk a place among the earlier parts of this stream and cut? */
static bool has_place(const struct same *s, uint32_t entry)
{
	const struct merge_entry *e = s->m->entries;
	uint32_t place = place_of(s, entry);

	return place != entry && are_of_one_cut(&e[entry], &e[place]);
}

/* Has any chunk of the part one? `first` is its first chunk of a stream and cut. */
static bool has_any_place(const struct same *s, uint32_t first)
{
	const struct merge_entry *e = s->m->entries;

	for (uint32_t i = first;
	     i < s->m->nr_entries && e[i].part == e[first].part && are_of_one_cut(&e[i], &e[first]);
	     i++)
		if (has_place(s, i))
			return true;
	return false;
}

/* Lists the entries in their new order. `behind` is the end of the earlier cuts. */
static void list_places(const struct same *s, struct places *p)
{
	const struct merge_entry *e = s->m->entries;
	uint32_t behind = NO_ENTRY, at = NO_ENTRY;
	size_t first = 0;

	for (uint32_t i = 0; i < s->m->nr_entries; i++) {
		if (!are_of_one_cut(&e[i], &e[first])) {
			first = i;
			behind = p->last;
		}
		if (e[i].part == e[first].part)
			at = p->last;
		else if (e[i].part != e[i - 1].part)
			at = has_any_place(s, i) ? behind : p->last;
		put_behind(p, at, i);
		at = has_place(s, i) ? place_of(s, i) : i;
	}
}

static void take_places(struct merge *m, const struct places *p, struct merge_entry *to)
{
	size_t nr = 0;

	for (uint32_t i = p->first; i != NO_ENTRY; i = p->next[i])
		to[nr++] = m->entries[i];
	memcpy(m->entries, to, nr * sizeof(*to));
}

static int put_into_place(struct same *s)
{
	struct merge *m = s->m;
	struct places p = {.first = NO_ENTRY, .last = NO_ENTRY};
	struct merge_entry *to = memory_new(m->capture.memory, m->nr_entries + 1, sizeof(*to));
	int rc = -ENOMEM;

	p.next = memory_new(m->capture.memory, m->nr_entries + 1, sizeof(*p.next));
	if (to && p.next) {
		list_places(s, &p);
		take_places(m, &p, to);
		rc = 0;
	}
	memory_free(p.next);
	memory_free(to);
	return rc;
}

/* --- the whole --- */

static int open_same(struct same *s)
{
	struct merge *m = s->m;

	s->stands_for = memory_new(m->capture.memory, m->nr_entries + 1, sizeof(*s->stands_for));
	if (!s->stands_for || m->nr_entries >= NO_ENTRY)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->nr_entries; i++)
		s->stands_for[i] = i;
	return merge_view_open(&s->view, m, compare_for_view);
}

int merge_leave_out_same(struct merge *m, struct ts_error *err)
{
	struct same s = {.m = m};
	int rc = open_same(&s);

	if (!rc)
		rc = leave_out_twice(&s, err);
	if (!rc && m->nr_parts > 1)
		rc = put_into_place(&s);
	chunk_buffer_release(&s.buf);
	merge_view_close(&s.view);
	memory_free(s.stands_for);
	return rc;
}
