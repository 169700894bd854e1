// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_events.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/stacks/sample_log.h"

/* Counts a sample of its event; one_period becomes 0 where they differ. */
static void count_sample(struct html_event *event, const struct timed_sample *s)
{
	const struct stack_weight weight = {1, s->period};

	if (!event->weight.nr_samples)
		event->one_period = s->period;
	else if (event->one_period != s->period)
		event->one_period = 0;
	stack_weight_add(&event->weight, &weight);
}

/* Leaves those without samples out. */
static void keep_used(struct html_events *e, const struct ts_events *events)
{
	const uint32_t nr = (uint32_t)events->nr;

	for (uint32_t i = 0; i < nr; i++) {
		e->of_event[i] = HTML_EVENTS_NONE;
		if (!e->items[i].weight.nr_samples)
			continue;
		e->of_event[i] = e->nr;
		e->items[e->nr] = e->items[i];
		e->items[e->nr].event = &events->items[i];
		e->has_periods |= !e->items[e->nr++].one_period;
	}
}

int html_events_init(struct html_events *e, const struct ts_events *events,
		     const struct timed_samples *samples)
{
	*e = (struct html_events){
		.items = calloc(events->nr + 1, sizeof(*e->items)),
		.of_event = calloc(events->nr + 1, sizeof(*e->of_event)),
	};
	if (!e->items || !e->of_event) {
		html_events_release(e);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < samples->nr; i++) {
		const struct timed_sample *s = &samples->items[i];

		count_sample(&e->items[s->event], s);
		if (s->cpu != SAMPLE_LOG_NO_CPU)
			e->most_cpu = (uint16_t)ts_max(e->most_cpu, s->cpu + 1);
	}
	keep_used(e, events);
	return 0;
}

void html_events_release(struct html_events *e)
{
	free(e->items);
	free(e->of_event);
	*e = (struct html_events){0};
}

bool html_event_is_clock(const struct html_event *event)
{
	const struct perf_event_attr *attr = &event->event->attr;

	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}
