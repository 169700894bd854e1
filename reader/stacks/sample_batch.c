// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/sample_batch.h"

#include <errno.h>
#include <string.h>

#include "common/base/keyed_hash.h"

int sample_batch_init(struct sample_batch *b, struct memory *memory, uint32_t cap)
{
	*b = (struct sample_batch){
		.items = memory_new(memory, cap, sizeof(*b->items)),
		.groups_of = memory_new(memory, cap, sizeof(*b->groups_of)),
		.groups = memory_new(memory, cap, sizeof(*b->groups)),
		.slots = memory_new(memory, 2 * (size_t)cap, sizeof(*b->slots)),
		.cap = cap,
		.key = ts_keyed_hash_key(),
	};
	return b->items && b->groups_of && b->groups && b->slots ? 0 : -ENOMEM;
}

void sample_batch_release(struct sample_batch *b)
{
	memory_free(b->items);
	memory_free(b->groups_of);
	memory_free(b->groups);
	memory_free(b->slots);
	*b = (struct sample_batch){0};
}

/* --- groups --- */

static bool is_of_group(const struct sample_group *g, const struct logged_sample *s, uint32_t event)
{
	return g->tid == s->tid && g->pid == s->pid && g->event == event;
}

/* There are at most as many groups as items: half of the slots are free. */
static uint32_t find_group(struct sample_batch *b, const struct logged_sample *s, uint32_t event)
{
	const uint32_t mask = 2 * b->cap - 1;
	uint32_t at = (uint32_t)ts_keyed_hash_pair(b->key, (uint64_t)s->pid << 32 | s->tid, event);

	for (at &= mask; b->slots[at]; at = (at + 1) & mask)
		if (is_of_group(&b->groups[b->slots[at] - 1], s, event))
			return b->slots[at] - 1;
	b->groups[b->nr_groups] = (struct sample_group){
		.pid = s->pid, .tid = s->tid, .event = event, .is_ordered = true};
	b->slots[at] = ++b->nr_groups;
	return b->nr_groups - 1;
}

void sample_batch_add(struct sample_batch *b, const struct logged_sample *sample, uint32_t event)
{
	struct sample_group *g;

	if (!b->nr || !is_of_group(&b->groups[b->last], sample, event))
		b->last = find_group(b, sample, event);
	g = &b->groups[b->last];
	if (sample->time_ns < g->last_ns)
		g->is_ordered = false;
	g->last_ns = sample->time_ns;
	g->nr++;
	b->groups_of[b->nr] = b->last;
	b->items[b->nr++] = *sample;
}

void sample_batch_clear(struct sample_batch *b)
{
	memset(b->slots, 0, 2 * (size_t)b->cap * sizeof(*b->slots));
	b->nr = b->nr_groups = 0;
}

/* --- order of time --- */

/* The end of the samples from `at` on that ascend. */
static uint32_t ascend(const struct logged_sample *items, uint32_t at, uint32_t nr)
{
	while (++at < nr && items[at - 1].time_ns <= items[at].time_ns)
		;
	return at;
}

/* Merges [at, middle) and [middle, end). */
static void merge(const struct logged_sample *from, uint32_t at, uint32_t middle, uint32_t end,
		  struct logged_sample *to)
{
	uint32_t other = middle;

	for (uint32_t i = at; i < end; i++)
		to[i] = at < middle && (other == end || from[at].time_ns <= from[other].time_ns)
				? from[at++]
				: from[other++];
}

/* Merges each two neighbours that ascend. Returns how many are left. */
static uint32_t merge_neighbours(const struct logged_sample *from, uint32_t nr,
				 struct logged_sample *to)
{
	uint32_t nr_left = 0;

	for (uint32_t at = 0, end; at < nr; at = end, nr_left++) {
		const uint32_t middle = ascend(from, at, nr);

		end = middle < nr ? ascend(from, middle, nr) : middle;
		merge(from, at, middle, end, to);
	}
	return nr_left;
}

/* Few passes, because samples come nearly in order; at most the logarithm of their number. */
static void order_group(struct logged_sample *items, uint32_t nr, struct logged_sample *room)
{
	struct logged_sample *from = items, *to = room;

	while (merge_neighbours(from, nr, to) > 1) {
		struct logged_sample *const other = from;

		from = to;
		to = other;
	}
	if (to == room)
		memcpy(items, room, nr * sizeof(*items));
}

void sample_batch_sort(struct sample_batch *b, struct logged_sample *to)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < b->nr_groups; i++) {
		b->groups[i].first = first;
		first += b->groups[i].nr;
		b->groups[i].nr = 0; /* counted again */
	}
	for (uint32_t i = 0; i < b->nr; i++) {
		struct sample_group *g = &b->groups[b->groups_of[i]];

		to[g->first + g->nr++] = b->items[i];
	}
	for (uint32_t i = 0; i < b->nr_groups; i++)
		if (!b->groups[i].is_ordered)
			order_group(to + b->groups[i].first, b->groups[i].nr, b->items);
}
