// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_times.h"

#include <errno.h>
#include <inttypes.h>

#include "common/base/min_max.h"
#include "reader/page/shown_event.h"

static const struct capture *capture_of(const struct report_run *r, uint32_t number)
{
	return number ? &r->join.items[number - 1].capture : &r->capture;
}

static int check_number(const struct report_run *r, uint64_t nr, uint64_t most,
			struct ts_error *err)
{
	if (nr <= most || most == EXPORT_TIMES_ALL)
		return 0;
	ts_error_set(err, EFBIG,
		     "cannot export %s with times: viewers open at most %" PRIu64
		     " samples, and there are %" PRIu64,
		     r->capture.path, most, nr);
	return ts_error_hint(
		err, "select less, such as --time=0%%-%" PRIu64 "%%, or give --format=pprof",
		ts_max(90 * most / nr, (uint64_t)1));
}

/* Is the event exported, and has it samples? */
static bool is_exported(const struct report_run *r, uint32_t number, uint32_t event)
{
	return event == EXPORT_TIMES_EVENTS ? shown_event_has_stacks(&r->aggregate, number)
					    : number == event;
}

/* Do all samples carry their time? `events`: numbers, by that in the capture; NULL: the same. */
static bool has_times(const struct report_run *r, const struct capture *c, const uint32_t *events,
		      uint32_t event)
{
	for (uint32_t i = 0; i < c->header.events.nr; i++)
		if (!(c->header.events.items[i].attr.sample_type & PERF_SAMPLE_TIME) &&
		    is_exported(r, events ? events[i] : i, event))
			return false;
	return true;
}

static int check_times(const struct report_run *r, uint32_t event, struct ts_error *err)
{
	for (uint32_t i = 0; i <= r->join.nr; i++) {
		const struct capture *c = capture_of(r, i);

		if (has_times(r, c, i ? r->join.items[i - 1].events : NULL, event))
			continue;
		ts_error_set(err, EINVAL, "cannot export %s with times: its samples have no time",
			     c->path);
		return ts_error_hint(err, "give --format=pprof or --format=folded");
	}
	return 0;
}

int export_times_init(struct export_times *t, const struct report_run *r,
		      const struct report_head *head, uint32_t event,
		      const struct stack_paths *paths, const struct export_times_limits *limits,
		      struct ts_error *err)
{
	int rc = check_number(r, paths->weight[STACK_NEW].nr_samples, limits->most_samples, err);

	if (!rc)
		rc = check_times(r, event, err);
	if (rc)
		return rc;
	rc = timed_samples_init(&t->samples, &r->aggregate, paths, limits->most_threads,
				r->nr_workers);
	if (!rc)
		rc = named_threads_init(&t->threads, head->items, &t->samples);
	if (rc)
		return ts_error_sys(err, -rc, "cannot list the samples of %s", r->capture.path);
	return limits->without_gaps ? 0 : timed_gaps_init(&t->gaps, head->items, &t->samples, err);
}

uint64_t export_times_interval_ns(const struct export_times *t)
{
	const struct timed_thread *largest = t->threads.nr ? t->threads.items[0].samples : NULL;
	const struct timed_sample *items = largest ? t->samples.items + largest->first : NULL;

	return largest ? (items[largest->nr - 1].time_ns - items[0].time_ns) / largest->nr : 0;
}

void export_times_release(struct export_times *t)
{
	timed_gaps_release(&t->gaps);
	named_threads_release(&t->threads);
	timed_samples_release(&t->samples);
}
