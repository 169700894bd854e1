// SPDX-License-Identifier: Apache-2.0
#include "reader/code.h"

const struct code_span *code_fill(struct code_runs *r, uint32_t pid, uint64_t space, uint64_t addr,
				  uint64_t time_ns)
{
	for (uint32_t i = 0; i < r->nr; i++) {
		if (!code_is_in(&r->items[i], space, addr))
			continue;
		r->last = i;
		return &r->items[i].code;
	}
	r->last = r->next;
	r->next = (r->next + 1) % CODE_RUNS;
	if (r->nr < CODE_RUNS)
		r->nr++;
	r->items[r->last].space = space;
	symbols_code_at(r->symbols, pid, addr, time_ns, &r->items[r->last].code);
	return &r->items[r->last].code;
}
