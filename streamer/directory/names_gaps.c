// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/names_gaps.h"

#include "common/base/min_max.h"

void names_gaps_add(struct names_gaps *g, uint64_t from_ns, uint64_t to_ns)
{
	struct names_gap *last = g->nr ? &g->items[g->nr - 1] : NULL;

	if (last && (g->nr == NAMES_GAPS_MAX || from_ns <= last->to_ns)) {
		last->from_ns = ts_min(last->from_ns, from_ns);
		last->to_ns = to_ns;
		return;
	}
	g->items[g->nr++] = (struct names_gap){.from_ns = from_ns, .to_ns = to_ns};
}
