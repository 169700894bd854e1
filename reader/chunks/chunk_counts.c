// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/chunk_counts.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/sum.h"

int chunk_counts_init(struct chunk_counts *c, size_t nr_events)
{
	*c = (struct chunk_counts){.nr_events = nr_events};
	c->event_samples = calloc(nr_events + 1, sizeof(*c->event_samples));
	c->event_lost = calloc(nr_events + 1, sizeof(*c->event_lost));
	if (c->event_samples && c->event_lost)
		return 0;
	chunk_counts_release(c);
	return -ENOMEM;
}

void chunk_counts_add(struct chunk_counts *to, const struct chunk_counts *from)
{
	for (size_t i = 0; i < CHUNK_RECORD_TYPES; i++)
		to->by_type[i] += from->by_type[i];
	for (size_t i = 0; i <= to->nr_events; i++) {
		to->event_samples[i] += from->event_samples[i];
		to->event_lost[i] = ts_sum(to->event_lost[i], from->event_lost[i]);
	}
	to->total += from->total;
	to->lost = ts_sum(to->lost, from->lost);
	to->lost_samples = ts_sum(to->lost_samples, from->lost_samples);
}

void chunk_counts_release(struct chunk_counts *c)
{
	free(c->event_samples);
	free(c->event_lost);
	*c = (struct chunk_counts){0};
}
