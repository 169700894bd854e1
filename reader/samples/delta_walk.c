// SPDX-License-Identifier: Apache-2.0
/*
 * Spans of a counter, one per chunk, in the order of time:
 *
 *	chunk 3 [first 10 .. last 40, value 700]  chunk 8 [50 .. 90, 1200]  chunk 9 [95 .. 99, 1300]
 *
 * If a stretch begins with chunk 8, the first growth there counts from 700. If it begins in the
 * middle of chunk 8, the walk reads the values before it in that chunk, for all counters at once.
 */
#include <errno.h>
#include <stdlib.h>

#include "reader/samples/delta_parts.h"

void delta_init(struct delta_walk *d, const struct deltas *r)
{
	*d = (struct delta_walk){.all = r && r->spans ? r : NULL};
}

void delta_begin(struct delta_walk *d, uint64_t from_ns)
{
	d->from_ns = from_ns;
	d->nr_last = 0;
	hash_index_release(&d->index);
}

static struct memory *memory_of(const struct delta_walk *d)
{
	return d->all->table->capture->memory;
}

static struct delta_last *find_last(struct delta_walk *d, const struct delta_counter *counter)
{
	struct hash_walk walk = hash_walk(&d->index, delta_hash(&d->index, counter));
	uint32_t position;

	while (hash_walk_next(&d->index, &walk, &position))
		if (delta_is_same(&d->last[position].counter, counter))
			return &d->last[position];
	return NULL;
}

static struct delta_last *add_last(struct delta_walk *d, const struct delta_counter *counter,
				   uint64_t value, uint64_t time_ns)
{
	struct delta_last *last =
		delta_with_room(memory_of(d), d->last, d->nr_last, &d->cap_last, sizeof(*last));

	if (!last)
		return NULL;
	d->last = last;
	if (hash_index_add(&d->index, delta_hash(&d->index, counter), (uint32_t)d->nr_last))
		return NULL;
	last[d->nr_last] = (struct delta_last){*counter, value, time_ns};
	return &d->last[d->nr_last++];
}

/* The number of the last chunk that begins at this place or before it. */
static uint32_t chunk_at(const struct chunk_table *t, uint32_t stream, uint64_t offset)
{
	size_t low = 0, high = t->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct chunk *c = &t->chunks[mid];

		if (c->stream < stream || (c->stream == stream && c->offset <= offset))
			low = mid + 1;
		else
			high = mid;
	}
	return low ? (uint32_t)(low - 1) : 0;
}

/* How many spans stand before this one or equal it. */
static size_t count_spans(const struct deltas *r, const struct delta_span *wanted)
{
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (delta_compare_spans(&r->spans[mid], wanted) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Is this the chunk with the last sample of a counter before the stretch? */
static bool is_last_before(const struct delta_walk *d, const struct delta_counter *counter,
			   uint32_t chunk)
{
	const struct deltas *r = d->all;
	const struct delta_span wanted = {
		.counter = *counter, .chunk = UINT32_MAX, .first_ns = d->from_ns - 1};
	size_t nr = count_spans(r, &wanted);

	return nr && delta_is_same(&r->spans[nr - 1].counter, counter) &&
	       r->spans[nr - 1].chunk == chunk;
}

struct walk_before { /* the walk over a chunk in which the stretch begins */
	struct delta_walk *walk;
	uint32_t chunk;
};

/* Keeps the latest value of a counter before the stretch. */
static int note_before(void *arg, const struct delta_counter *counter, uint64_t value,
		       uint64_t time_ns)
{
	const struct walk_before *w = arg;
	struct delta_walk *d = w->walk;
	struct delta_last *last;

	if (time_ns >= d->from_ns)
		return 0;
	last = find_last(d, counter);
	if (!last && is_last_before(d, counter, w->chunk))
		return add_last(d, counter, value, time_ns) ? 0 : -ENOMEM;
	if (last && last->time_ns < d->from_ns && last->time_ns <= time_ns) {
		last->value = value;
		last->time_ns = time_ns;
	}
	return 0;
}

/* The value of a counter before its first sample in the stretch. */
static struct delta_last *begin_counter(struct delta_walk *d, const struct delta_counter *counter,
					uint64_t time_ns, uint32_t stream, uint64_t offset)
{
	const struct deltas *r = d->all;
	const struct delta_span wanted = {.counter = *counter,
					  .chunk = chunk_at(r->table, stream, offset),
					  .first_ns = time_ns};
	size_t nr = count_spans(r, &wanted);
	const struct delta_span *span = nr ? &r->spans[nr - 1] : NULL;
	struct delta_last *last;
	uint64_t value = 0;

	if (span && delta_is_same(&span->counter, counter)) {
		if (span->first_ns < d->from_ns) {
			struct walk_before before = {d, span->chunk};

			if (delta_each_value(r, span->chunk, &d->buf, note_before, &before))
				return NULL;
			last = find_last(d, counter);
			if (last)
				return last;
		}
		if (nr > 1 && delta_is_same(&span[-1].counter, counter))
			value = span[-1].last_value;
	}
	return add_last(d, counter, value, time_ns);
}

static int take_counter(struct delta_walk *d, const struct ts_sample *sample,
			const struct read_value *v, uint32_t stream, uint64_t offset,
			struct delta_member *ret)
{
	const struct ts_events *events = d->all->events;
	struct delta_counter counter = delta_counter_of(d->all, sample, v->id);
	struct delta_last *last = find_last(d, &counter);

	if (!last)
		last = begin_counter(d, &counter, sample->sid.time_ns, stream, offset);
	if (!last)
		return -ENOMEM;
	*ret = (struct delta_member){.event = ts_events_find(events, v->id),
				     .id = v->id,
				     .period = v->value - last->value};
	last->value = v->value;
	last->time_ns = sample->sid.time_ns;
	d->nr_unknown += ret->event == TS_NO_EVENT;
	return ret->event != TS_NO_EVENT && ret->period;
}

static struct delta_member *member_at(struct delta_walk *d, size_t nr)
{
	struct delta_member *members =
		delta_with_room(memory_of(d), d->members, nr, &d->cap_members, sizeof(*members));

	if (!members)
		return NULL;
	d->members = members;
	return &members[nr];
}

static int take_plain(struct delta_walk *d, const struct ts_sample *sample)
{
	struct delta_member *member = member_at(d, 0);

	if (!member)
		return -ENOMEM;
	*member = (struct delta_member){sample->sid.event, sample->sid.id, sample->period};
	return 1;
}

int delta_take(struct delta_walk *d, const struct ts_sample *sample, uint32_t stream,
	       uint64_t offset)
{
	const struct perf_event_attr *attr;
	struct read_values values;
	size_t nr = 0;

	if (!d->all)
		return 1;
	attr = &d->all->events->items[sample->sid.event].attr;
	if (!read_values_stand_for_samples(attr))
		return take_plain(d, sample);
	values = read_values(&sample->read, attr->read_format);
	for (uint64_t i = 0; i < values.nr; i++) {
		struct read_value v = read_value(&values, i);
		struct delta_member *member = member_at(d, nr);
		int rc = member ? take_counter(d, sample, &v, stream, offset, member) : -ENOMEM;

		if (rc < 0)
			return rc;
		nr += (size_t)rc;
	}
	return (int)nr;
}

void delta_give(const struct delta_walk *d, int i, struct ts_sample *sample)
{
	if (!d->all)
		return;
	sample->sid.event = d->members[i].event;
	sample->sid.id = d->members[i].id;
	sample->period = d->members[i].period;
}

static int compare_moments(const void *a, const void *b)
{
	const struct delta_moment *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int delta_list(struct delta_walk *d, const uint8_t *records, size_t len)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;
	bool is_sorted = true;
	uint64_t last_ns = 0;

	d->nr_order = 0;
	while ((hdr = chunk_walk_next(&walk))) {
		struct delta_moment *order;
		uint64_t time_ns;

		if (ts_record_load_u32(hdr) != PERF_RECORD_SAMPLE)
			continue;
		order = delta_with_room(memory_of(d), d->order, d->nr_order, &d->cap_order,
					sizeof(*order));
		if (!order)
			return -ENOMEM;
		d->order = order;
		time_ns = range_layout_time(&d->all->layout, hdr);
		order[d->nr_order++] =
			(struct delta_moment){time_ns, (uint64_t)((const uint8_t *)hdr - records)};
		is_sorted &= time_ns >= last_ns;
		last_ns = time_ns;
	}
	if (!is_sorted)
		qsort(d->order, d->nr_order, sizeof(*d->order), compare_moments);
	return 0;
}

void delta_release(struct delta_walk *d)
{
	hash_index_release(&d->index);
	memory_free(d->last);
	memory_free(d->members);
	memory_free(d->order);
	chunk_buffer_release(&d->buf);
	*d = (struct delta_walk){0};
}
