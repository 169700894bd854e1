// SPDX-License-Identifier: Apache-2.0
#include "reader/export/time_slices.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"

#define NR_BINS 65536u

int time_slices_init(struct time_slices *s, uint64_t first_ns, uint64_t last_ns, uint64_t most)
{
	*s = (struct time_slices){
		.first_ns = first_ns,
		.bin_ns = (last_ns - ts_min(first_ns, last_ns)) / NR_BINS + 1,
		.bins = calloc(NR_BINS, sizeof(*s->bins)),
		.most = most,
	};
	return s->bins ? 0 : -ENOMEM;
}

void time_slices_release(struct time_slices *s)
{
	free(s->bins);
	*s = (struct time_slices){0};
}

void time_slices_count(struct time_slices *s, uint64_t time_ns)
{
	s->bins[ts_min((time_ns - s->first_ns) / s->bin_ns, (uint64_t)NR_BINS - 1)]++;
}

bool time_slices_next(struct time_slices *s, uint64_t *ret_until_ns)
{
	uint64_t nr = 0;

	if (s->next == NR_BINS)
		return false;
	while (s->next < NR_BINS && (!nr || nr + s->bins[s->next] <= s->most))
		nr += s->bins[s->next++];
	*ret_until_ns = s->next < NR_BINS ? s->first_ns + s->next * s->bin_ns : 0;
	return true;
}
