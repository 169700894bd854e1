// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/tally.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/sum.h"
#include "reader/runtime/workers.h"

/* --- common numbers --- */

static int share_frames(struct aggregate *a, struct tally *t)
{
	const struct frames *frames = &t->resolver.frames;

	t->frame_numbers = memory_new(a->memory, (size_t)frames->nr + 1, sizeof(*t->frame_numbers));
	if (!t->frame_numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->nr; i++) {
		struct frame f = frames->items[i];

		if (f.around) /* the outer frame has a lower number */
			f.around = t->frame_numbers[f.around - 1] + 1;
		t->frame_numbers[i] = frames_intern(&a->frames, &f);
		if (t->frame_numbers[i] == FRAME_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int share_comms(struct aggregate *a, struct tally *t)
{
	t->comm_numbers = memory_new(a->memory, (size_t)t->comms.nr + 1, sizeof(*t->comm_numbers));
	if (!t->comm_numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->comms.nr; i++) {
		t->comm_numbers[i] = name_table_intern(&a->comms, t->comms.items[i]);
		if (t->comm_numbers[i] == NAME_TABLE_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int share_tags(struct aggregate *a, struct tally *t)
{
	if (!t->tags.plan)
		return 0;
	t->tag_numbers = memory_new(a->memory, (size_t)t->tags.nr + 1, sizeof(*t->tag_numbers));
	return t->tag_numbers ? tags_share(&a->tags, &t->tags, t->tag_numbers) : -ENOMEM;
}

static int share_rest(struct aggregate *a, const struct tally *t, bool is_one_event,
		      size_t nr_events)
{
	if (!a->rest)
		a->rest = calloc(nr_events + 1, sizeof(*a->rest));
	if (!a->rest)
		return -ENOMEM;
	for (size_t i = 0; t->rest && i < nr_events; i++) {
		struct aggregate_rest *rest = &a->rest[is_one_event ? 0 : i];

		rest->period = ts_sum(rest->period, t->rest[i].period);
		rest->nr_samples += t->rest[i].nr_samples;
	}
	return 0;
}

/*
 * Gives the frames, names and tags of a tally common numbers. In an empty aggregate these are the
 * numbers of the first tally.
 */
static int share_numbers(struct aggregate *a, struct tally *t)
{
	int rc = t->rc ? t->rc : share_frames(a, t);

	if (!rc)
		rc = share_comms(a, t);
	if (!rc)
		rc = share_tags(a, t);
	a->nr_unknown += t->nr_unknown;
	a->nr_bad += t->nr_bad;
	a->nr_newer += t->nr_newer;
	a->nr_cut += t->nr_cut;
	unwind_counts_add(&a->unwound, &t->unwound);
	return rc;
}

/* --- stacks --- */

struct merging { /* constant while workers run, except each worker's own item */
	struct aggregate *aggregate;
	struct tally *const *tallies; /* worker n renumbers tally n */
	unsigned int nr;
};

static void renumber_tally(void *arg, unsigned int n)
{
	const struct merging *m = arg;
	struct tally *t = m->tallies[n];

	stacks_renumber(&t->stacks, t->frame_numbers, t->comm_numbers, t->tag_numbers);
}

/* Worker n merges part n of all tallies. */
static void merge_part(void *arg, unsigned int n)
{
	const struct merging *m = arg;
	struct stacks *part = &m->aggregate->parts[n];
	int rc = 0;

	part->memory = m->aggregate->memory;
	for (unsigned int i = 0; !rc && i < m->nr; i++)
		rc = stacks_merge(part, &m->tallies[i]->stacks, n, m->nr, m->tallies[i]->places);
	m->tallies[n]->rc = rc;
}

/* Makes room for the new place of each stack, if the tally has a log. */
static int make_places(struct tally *t)
{
	if (!t->log.nr)
		return 0;
	t->places = memory_new(t->log.memory, (size_t)t->stacks.nr + 1, sizeof(*t->places));
	return t->places ? 0 : -ENOMEM;
}

/* The log keeps the places: its samples stay as they are. */
static void give_places(struct tally *t)
{
	if (!t->places)
		return;
	sample_log_take_places(&t->log, t->places, t->stacks.nr);
	t->places = NULL;
}

/* Adds the logs of all tallies to the aggregate, which owns them then. */
static int take_logs(struct merging *m)
{
	struct aggregate *a = m->aggregate;
	struct sample_log *logs = realloc(a->logs, (a->nr_logs + m->nr) * sizeof(*logs));

	if (!logs)
		return -ENOMEM;
	a->logs = logs;
	for (unsigned int i = 0; i < m->nr; i++) {
		logs[a->nr_logs++] = m->tallies[i]->log;
		m->tallies[i]->log = (struct sample_log){0};
	}
	return 0;
}

static int merge_stacks(struct merging *m)
{
	struct aggregate *a = m->aggregate;
	const bool is_first = !a->parts;
	int rc = 0;

	if (is_first)
		a->parts = calloc(m->nr, sizeof(*a->parts));
	if (!a->parts)
		return -ENOMEM;
	a->nr_parts = m->nr;
	workers_run(m->nr, renumber_tally, m);
	if (is_first && m->nr == 1) { /* its numbers stay, also in its log */
		a->parts[0] = m->tallies[0]->stacks;
		m->tallies[0]->stacks = (struct stacks){0};
		return 0;
	}
	for (unsigned int i = 0; !rc && i < m->nr; i++)
		rc = make_places(m->tallies[i]);
	if (rc)
		return rc;
	workers_run(m->nr, merge_part, m);
	for (unsigned int i = 0; i < m->nr; i++)
		rc = rc ? rc : m->tallies[i]->rc;
	for (unsigned int i = 0; !rc && i < m->nr; i++)
		give_places(m->tallies[i]);
	return rc;
}

/* --- the whole --- */

int tallies_add(struct aggregate *a, struct tally *const *tallies, unsigned int nr,
		const struct aggregate_plan *plan, size_t nr_events, struct ts_error *err)
{
	struct merging merging = {.aggregate = a, .tallies = tallies, .nr = nr};
	int rc = 0;

	for (unsigned int i = 0; !rc && i < nr; i++) {
		rc = share_numbers(a, tallies[i]);
		if (rc && tallies[i]->err.code)
			*err = tallies[i]->err;
		if (!rc)
			rc = share_rest(a, tallies[i], plan->is_one_event, nr_events);
	}
	if (!rc)
		rc = merge_stacks(&merging);
	return rc || !plan->log_bytes ? rc : take_logs(&merging);
}

void tally_release(struct tally *t)
{
	stacks_release(&t->stacks);
	name_table_release(&t->comms);
	tags_release(&t->tags);
	sample_log_release(&t->log);
	resolver_release(&t->resolver);
	free(t->rest);
	memory_free(t->frame_numbers);
	memory_free(t->comm_numbers);
	memory_free(t->tag_numbers);
	memory_free(t->places);
	*t = (struct tally){0};
}
