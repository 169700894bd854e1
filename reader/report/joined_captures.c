// SPDX-License-Identifier: Apache-2.0
#include "reader/report/joined_captures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/chunks/select_chunks.h"
#include "reader/order/replay.h"
#include "reader/stacks/aggregate_join.h"

/* --- opening --- */

static const char *host_of(const struct capture *c)
{
	struct ts_cursor cursor = ts_header_feature_cursor(&c->header, TS_FEAT_HOSTNAME);
	const char *host;

	return cursor.at && ts_cursor_string(&cursor, &host) ? host : c->path;
}

/* If two captures have the same host, all are named by path. */
static void name_hosts(struct joined_captures *j, const struct capture *first)
{
	bool is_same = false;

	j->host = host_of(first);
	for (size_t i = 0; i < j->nr; i++)
		j->items[i].host = host_of(&j->items[i].capture);
	for (size_t i = 0; i < j->nr; i++) {
		is_same |= !strcmp(j->items[i].host, j->host);
		for (size_t k = 0; k < i; k++)
			is_same |= !strcmp(j->items[i].host, j->items[k].host);
	}
	if (!is_same)
		return;
	j->host = first->path;
	for (size_t i = 0; i < j->nr; i++)
		j->items[i].host = j->items[i].capture.path;
}

/* The number of an event by its name, added if new. */
static int find_event(struct joined_captures *j, const struct ts_event *event, uint32_t *ret,
		      struct ts_error *err)
{
	for (uint32_t i = 0; !j->are_apart && i < j->events.nr; i++) {
		if (strcmp(j->events.items[i].name, event->name) != 0)
			continue;
		j->events.items[i].attr.sample_type |= event->attr.sample_type;
		*ret = i;
		return 0;
	}
	*ret = (uint32_t)j->events.nr;
	return ts_events_add(&j->events, &event->attr, event->name, NULL, 0, err);
}

static int map_events(struct joined_captures *j, struct joined *item, struct ts_error *err)
{
	const struct ts_events *own = &item->capture.header.events;
	int rc = 0;

	item->events = calloc(own->nr + 1, sizeof(*item->events));
	if (!item->events)
		return ts_error_sys(err, ENOMEM, "cannot join captures");
	for (size_t i = 0; !rc && i < own->nr; i++)
		rc = find_event(j, &own->items[i], &item->events[i], err);
	return rc;
}

/* Events of the first capture keep their numbers, even if two of them have the same name. */
static int copy_events(struct joined_captures *j, const struct ts_events *events,
		       struct ts_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < events->nr; i++)
		rc = ts_events_add(&j->events, &events->items[i].attr, events->items[i].name, NULL,
				   0, err);
	return rc;
}

int joined_captures_open(struct joined_captures *j, const struct capture *first,
			 const char *const *paths, size_t nr, bool are_apart, struct ts_error *err)
{
	int rc = copy_events(j, &first->header.events, err);

	j->are_apart = are_apart;
	if (rc)
		return rc;
	j->items = calloc(nr + 1, sizeof(*j->items));
	if (!j->items)
		return ts_error_sys(err, ENOMEM, "cannot join captures");
	for (; j->nr < nr; j->nr++) {
		struct joined *item = &j->items[j->nr];

		rc = capture_open(&item->capture, paths[j->nr], err);
		if (rc)
			return rc;
		item->capture.memory = first->memory;
		item->capture.progress = first->progress;
		item->capture.places = first->places;
		rc = map_events(j, item, err);
		if (rc) {
			j->nr++; /* close() must release it */
			return rc;
		}
	}
	name_hosts(j, first);
	return 0;
}

/* --- counting --- */

static int open_item(struct joined *item, const struct aggregate_plan *plan,
		     const struct selection_text *text, struct ts_error *err)
{
	int rc = select_chunks(&item->chunks, &item->selection, text, &item->capture,
			       plan->nr_workers, 0, err);

	if (rc)
		return rc;
	item->tasks = replay_sideband(&item->chunks, &item->damage, &item->warnings, err);
	if (!item->tasks)
		return -err->code;
	item->symbols = symbols_new(item->tasks, &item->capture.header, err);
	if (!item->symbols)
		return -err->code;
	symbols_use_places(item->symbols, item->capture.places, item->capture.archive);
	symbols_use_limits(item->symbols, item->capture.memory, item->capture.progress);
	rc = capture_facts_open(&item->capture_facts, &item->capture.header, item->host, err);
	item->capture_facts.events = item->events;
	item->capture_facts.raw_trace = plan->capture_facts->raw_trace;
	return rc ? rc : capture_facts_read_cgroups(&item->capture_facts, &item->chunks, err);
}

static uint64_t count_samples(const struct aggregate *a, size_t nr_events)
{
	uint64_t nr = aggregate_nr_samples(a);

	for (size_t i = 0; i < nr_events; i++)
		nr += a->rest[i].nr_samples;
	return nr;
}

static int run_item(struct joined *item, struct aggregate *a, const struct aggregate_plan *plan,
		    const struct selection_text *text, struct ts_error *err)
{
	struct aggregate_plan own = *plan;
	struct aggregate aggregate = {0};
	int rc = open_item(item, plan, text, err);

	if (rc || progress_is_stopped(item->capture.progress))
		return rc;
	own.capture_facts = &item->capture_facts;
	rc = aggregate_run(&aggregate, &own, &item->chunks, item->tasks, item->symbols, err);
	if (rc)
		return rc;
	item->percent = progress_is_stopped(item->capture.progress)
				? progress_percent(item->capture.progress)
				: 100;
	item->nr_samples = count_samples(&aggregate, item->capture.header.events.nr);
	item->nr_bad = aggregate.nr_bad;
	item->nr_unknown = aggregate.nr_unknown;
	item->nr_newer = aggregate.nr_newer;
	item->nr_cut = aggregate.nr_cut;
	if (own.is_one_event) /* they have number 0 already */
		memset(item->events, 0, item->capture.header.events.nr * sizeof(*item->events));
	rc = damage_merge(&item->damage, &aggregate.damage);
	if (!rc)
		rc = aggregate_join(a, &aggregate, item->events, item->capture.header.events.nr);
	aggregate_release(&aggregate);
	return rc ? ts_error_sys(err, -rc, "cannot join %s", item->capture.path) : 0;
}

/* Makes room for the sums of events that the first capture does not have. */
static int widen_rest(struct aggregate *a, size_t nr_before, size_t nr)
{
	struct aggregate_rest *rest = realloc(a->rest, (nr + 1) * sizeof(*rest));

	if (!rest)
		return -ENOMEM;
	a->rest = rest;
	memset(rest + nr_before, 0, (nr + 1 - nr_before) * sizeof(*rest));
	return 0;
}

int joined_captures_run(struct joined_captures *j, struct aggregate *a,
			const struct aggregate_plan *plan, const struct selection_text *text,
			struct ts_error *err)
{
	const size_t nr_before = plan->capture_facts->header->events.nr;
	int rc = widen_rest(a, nr_before, j->events.nr);

	if (rc)
		return ts_error_sys(err, -rc, "cannot join captures");
	j->nr_samples = count_samples(a, nr_before);
	for (size_t i = 0; !rc && i < j->nr; i++)
		if (!progress_is_stopped(j->items[i].capture.progress))
			rc = run_item(&j->items[i], a, plan, text, err);
	return rc;
}

/* --- what each is worth --- */

int joined_captures_merge_damage(struct joined *item)
{
	int rc = item->is_merged ? 0 : damage_merge(&item->damage, &item->chunks.damage);

	item->is_merged = true;
	damage_sort(&item->damage);
	return rc;
}

int joined_captures_overviews(struct joined_captures *j, bool is_partly_read, struct overview *ret)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < j->nr; i++) {
		struct joined *item = &j->items[i];
		const struct overview_parts parts = {
			.capture = &item->capture,
			.chunks = &item->chunks,
			.tasks = item->tasks,
			.damage = &item->damage,
			.name = item->host,
			.nr_samples = item->nr_samples,
			.nr_unknown = item->nr_unknown,
			.nr_bad = item->nr_bad,
			.is_partly_read = is_partly_read,
			.counted_percent = item->percent,
		};

		rc = joined_captures_merge_damage(item);
		if (!rc)
			rc = overview_open(&ret[i], &parts);
	}
	return rc;
}

void joined_captures_close(struct joined_captures *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		struct joined *item = &j->items[i];

		damage_release(&item->damage);
		ts_notes_release(&item->warnings);
		capture_facts_close(&item->capture_facts);
		symbols_free(item->symbols);
		tasks_free(item->tasks);
		chunk_table_close(&item->chunks);
		selection_close(&item->selection);
		capture_close(&item->capture);
		free(item->events);
	}
	free(j->items);
	ts_events_release(&j->events);
	*j = (struct joined_captures){0};
}
