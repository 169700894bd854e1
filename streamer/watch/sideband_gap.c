// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/sideband_gap.h"

#include "common/base/min_max.h"

int sideband_gap_init(struct sideband_gap *g, struct ts_error *err)
{
	atomic_init(&g->since_ns, 0);
	return ts_stop_init(&g->seen, err);
}

void sideband_gap_release(struct sideband_gap *g)
{
	ts_stop_release(&g->seen);
}

void sideband_gap_report(struct sideband_gap *g, uint64_t since_ns)
{
	uint64_t known = atomic_load_explicit(&g->since_ns, memory_order_relaxed);

	since_ns = ts_max(since_ns, 1);
	while ((!known || since_ns < known) &&
	       !atomic_compare_exchange_weak_explicit(&g->since_ns, &known, since_ns,
						      memory_order_relaxed, memory_order_relaxed))
		;
	/* Release: partner is the acquire of ts_stop_lower(), behind which main takes the time. */
	ts_stop_raise(&g->seen);
}

/* Lowered first: a time that comes in between raises the flag again. */
uint64_t sideband_gap_take(struct sideband_gap *g)
{
	if (!ts_stop_is_raised(&g->seen))
		return 0;
	ts_stop_lower(&g->seen);
	return atomic_exchange_explicit(&g->since_ns, 0, memory_order_relaxed);
}
