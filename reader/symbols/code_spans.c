// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/code_spans.h"

/* Searches all remembered runs, then the maps. */
const struct code_span *code_spans_look(struct code_span_runs *r, uint32_t pid, uint64_t space,
					uint64_t addr, uint64_t time_ns)
{
	for (uint32_t i = 0; i < CODE_SPAN_RUNS; i++) {
		if (!code_spans_is_in(&r->items[i], pid, space, addr))
			continue;
		r->last = i;
		return &r->items[i].span;
	}
	r->last = r->next;
	r->next = (r->next + 1) % CODE_SPAN_RUNS;
	r->items[r->last].space = space;
	r->items[r->last].pid = pid;
	symbols_code_at(r->symbols, pid, addr, time_ns, &r->items[r->last].span);
	return &r->items[r->last].span;
}
