// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_no_samples.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/log.h"

void print_no_samples(const struct chunk_table *t, const struct selection_text *selected,
		      const char *more)
{
	const uint64_t first = t->first_ns, last = t->last_ns;
	const uint32_t nr_cpus = t->capture->header.nr_cpus_avail;
	char instead[128] = "";

	/* Samples may still come. */
	if (t->capture->is_running && !selection_text_is_some(selected))
		return;
	if (selected->time && last)
		snprintf(instead, sizeof(instead),
			 ": its samples are from %llu.%06llu to %llu.%06llu s",
			 first / TS_NS_PER_SEC, first % TS_NS_PER_SEC / 1000, last / TS_NS_PER_SEC,
			 last % TS_NS_PER_SEC / 1000);
	else if (selected->cpus && nr_cpus)
		snprintf(instead, sizeof(instead), ": that machine has %" PRIu32 " CPUs", nr_cpus);
	ts_log_warn("%s has no samples%s%s", t->capture->path,
		    selection_text_is_some(selected) ? " that match the selection" : "",
		    *more ? more : instead);
}
