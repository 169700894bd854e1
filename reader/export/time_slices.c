// SPDX-License-Identifier: Apache-2.0
#include "reader/export/time_slices.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"

#define NR_BINS 65536u

int time_slices_init(struct time_slices *s, const struct time_slices_plan *plan,
		     struct memory *memory)
{
	const size_t nr = (size_t)plan->nr_threads + 1;

	*s = (struct time_slices){
		.first_ns = plan->first_ns,
		.bin_ns = (plan->last_ns - ts_min(plan->first_ns, plan->last_ns)) / NR_BINS + 1,
		.most = plan->most,
		.bins = memory_new(memory, NR_BINS, sizeof(*s->bins)),
		.heads = memory_new(memory, NR_BINS, sizeof(*s->heads)),
		.links = memory_new(memory, nr, sizeof(*s->links)),
		.here = memory_new(memory, nr, sizeof(*s->here)),
	};
	return s->bins && s->heads && s->links && s->here ? 0 : -ENOMEM;
}

void time_slices_release(struct time_slices *s)
{
	memory_free(s->bins);
	memory_free(s->heads);
	memory_free(s->links);
	memory_free(s->here);
	*s = (struct time_slices){0};
}

static uint32_t bin_of(const struct time_slices *s, uint64_t time_ns)
{
	return (uint32_t)ts_min((time_ns - s->first_ns) / s->bin_ns, (uint64_t)NR_BINS - 1);
}

void time_slices_count(struct time_slices *s, uint64_t time_ns)
{
	s->bins[bin_of(s, time_ns)]++;
}

/* A time in a bin that is in a slice already waits for the next one: no sample may be left out. */
void time_slices_wait(struct time_slices *s, uint32_t thread, uint64_t time_ns)
{
	const uint32_t bin = ts_max(bin_of(s, time_ns), ts_min(s->next, NR_BINS - 1));

	s->links[thread] = s->heads[bin];
	s->heads[bin] = thread + 1;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void take_threads(struct time_slices *s, uint32_t from, uint32_t to)
{
	s->nr_here = 0;
	for (uint32_t bin = from; bin < to; bin++)
		for (uint32_t i = s->heads[bin]; i; i = s->links[i - 1])
			s->here[s->nr_here++] = i - 1;
	qsort(s->here, s->nr_here, sizeof(*s->here), compare_numbers);
}

bool time_slices_next(struct time_slices *s, uint64_t *ret_until_ns)
{
	const uint32_t from = s->next;
	uint64_t nr = 0;

	if (s->next == NR_BINS)
		return false;
	while (s->next < NR_BINS && (!nr || nr + s->bins[s->next] <= s->most))
		nr += s->bins[s->next++];
	*ret_until_ns = s->next < NR_BINS ? s->first_ns + s->next * s->bin_ns : 0;
	take_threads(s, from, s->next);
	return true;
}
