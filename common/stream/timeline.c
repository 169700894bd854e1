// SPDX-License-Identifier: Apache-2.0
/*
 * Spreading n records over [from, until]: the number of records before time x is n * (x - from) /
 * (until + 1 - from), rounded down. A slot gets the difference between its two ends. These
 * differences add up to n, and to the same sums in slots of any length. Merging slots therefore
 * loses nothing, and a chunk can be taken out again.
 */
#include "common/base/min_max.h"
#include "common/stream/timeline.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/clock.h"

static void add_slot(struct ts_timeline_slot *to, const struct ts_timeline_slot *from)
{
	for (unsigned int i = 0; i < TS_LOSS_NR; i++)
		to->nr[i] += from->nr[i];
}

/* Merges neighbours, in ascending order: a slot is moved before it is overwritten. */
static void double_step(struct ts_timeline *t)
{
	uint64_t first = t->first / 2;
	uint32_t to = 0;

	for (uint32_t i = 0; i < t->nr; i++) {
		to = (uint32_t)((t->first + i) / 2 - first);
		if (to == i)
			continue;
		add_slot(&t->slots[to], &t->slots[i]);
		t->slots[i] = (struct ts_timeline_slot){0};
	}
	t->nr = t->nr ? to + 1 : 0;
	t->first = first;
	t->step_ns *= 2;
}

/* Extends the table to the slots of both times. */
static void reach_buckets(struct ts_timeline *t, uint64_t from_ns, uint64_t until_ns)
{
	uint64_t first, last;

	if (!t->step_ns)
		t->step_ns = TS_NS_PER_SEC;
	for (;; double_step(t)) {
		first = from_ns / t->step_ns;
		last = until_ns / t->step_ns;
		if (t->nr && t->first < first)
			first = t->first;
		if (t->nr && t->first + t->nr - 1 > last)
			last = t->first + t->nr - 1;
		if (last - first < TS_TIMELINE_SLOTS)
			break;
	}
	if (t->nr && first < t->first) {
		uint64_t by = t->first - first;

		memmove(&t->slots[by], t->slots, t->nr * sizeof(*t->slots));
		memset(t->slots, 0, by * sizeof(*t->slots));
	}
	t->first = first;
	t->nr = (uint32_t)(last - first + 1);
}

/* How many of nr records, spread over [from, until], come before time x of [from, until + 1]. */
static uint64_t share_of_span(uint64_t nr, uint64_t from_ns, uint64_t until_ns, uint64_t x_ns)
{
	unsigned __int128 part = (unsigned __int128)nr * (x_ns - from_ns);

	return (uint64_t)(part / (until_ns + 1 - from_ns));
}

static void spread_losses(struct ts_timeline *t, enum ts_loss_cause cause, uint64_t nr,
			  uint64_t from_ns, uint64_t until_ns, bool take_out)
{
	uint64_t done = 0;

	if (!nr)
		return;
	if (!until_ns || until_ns > INT64_MAX) {
		t->untimed.nr[cause] += take_out ? -nr : nr;
		return;
	}
	reach_buckets(t, from_ns, until_ns);
	for (uint64_t i = from_ns / t->step_ns; i <= until_ns / t->step_ns; i++) {
		uint64_t end_ns = (i + 1) * t->step_ns;
		uint64_t upto = share_of_span(nr, from_ns, until_ns,
					      end_ns > until_ns ? until_ns + 1 : end_ns);

		t->slots[i - t->first].nr[cause] += take_out ? done - upto : upto - done;
		done = upto;
	}
}

void ts_timeline_add(struct ts_timeline *t, enum ts_loss_cause cause, uint64_t nr, uint64_t from_ns,
		     uint64_t until_ns)
{
	spread_losses(t, cause, nr, from_ns, until_ns, false);
}

/* A cause that a later version added counts as a full ring. */
static enum ts_loss_cause known_cause(enum ts_loss_cause cause)
{
	return cause == TS_LOSS_NONE || cause >= TS_LOSS_NR ? TS_LOSS_RING_FULL : cause;
}

/* The times of the chunk's records. A chunk without times gets the highest time so far. */
static void chunk_times(const struct ts_timeline *t, const struct ts_chunk *c, uint64_t *ret_from,
			uint64_t *ret_until)
{
	*ret_until = c->time_max_ns ? c->time_max_ns : t->last_ns;
	*ret_from = c->time_max_ns ? c->time_min_ns : t->last_ns;
	if (*ret_from > *ret_until)
		*ret_from = *ret_until;
}

void ts_timeline_chunk(struct ts_timeline *t, const struct ts_chunk *c)
{
	uint64_t from_ns, until_ns;

	chunk_times(t, c, &from_ns, &until_ns);
	spread_losses(t, TS_LOSS_NONE, c->nr_records, from_ns, until_ns, false);
	if (t->last_ns)
		from_ns = ts_min(t->last_ns, until_ns);
	spread_losses(t, known_cause(c->lost_cause), c->lost, from_ns, until_ns, false);
	if (until_ns > t->last_ns && until_ns <= INT64_MAX)
		t->last_ns = until_ns;
}

void ts_timeline_unwrite(struct ts_timeline *t, const struct ts_chunk *c, uint64_t kept)
{
	uint64_t from_ns, until_ns;

	if (!c->time_max_ns) /* its place in the table is no longer known */
		return;
	if (kept > c->nr_records)
		kept = c->nr_records;
	chunk_times(t, c, &from_ns, &until_ns);
	spread_losses(t, TS_LOSS_NONE, c->nr_records, from_ns, until_ns, true);
	spread_losses(t, TS_LOSS_NONE, kept, from_ns, until_ns, false);
	spread_losses(t, TS_LOSS_DISK, c->nr_records - kept, from_ns, until_ns, false);
}

uint64_t ts_timeline_sum(const struct ts_timeline *t, enum ts_loss_cause cause)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->nr; i++)
		sum += t->slots[i].nr[cause];
	return sum;
}
