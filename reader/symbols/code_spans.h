/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers in which module an address of a process lies. Most addresses of a callchain lie in the
 * same few runs of code as those before them, so maps are hardly ever searched. Results that depend
 * on the place in the module are valid for all processes that have the module mapped, at any
 * address.
 *
 * Threads: each has its own.
 */
#ifndef TS_READER_SYMBOLS_CODE_SPANS_H
#define TS_READER_SYMBOLS_CODE_SPANS_H

#include <stdint.h>

#include "reader/symbols/symbol.h"

#define CODE_SPAN_RUNS 8 /* runs that are remembered */

struct code_span_run {
	uint64_t space; /* set of maps */
	uint32_t pid;	/* process: spaces may be mixed with it */
	struct code_span span;
};

struct code_span_runs { /* zeroed but for the symbols, which outlive it */
	struct symbols *symbols;
	uint32_t last; /* found last */
	uint32_t next; /* to be replaced next */
	struct code_span_run items[CODE_SPAN_RUNS];
};

/* For code_spans_find(), if the address is not in the run that was found last. */
const struct code_span *code_spans_look(struct code_span_runs *r, uint32_t pid, uint64_t space,
					uint64_t addr, uint64_t time_ns);

static inline bool code_spans_is_in(const struct code_span_run *run, uint32_t pid, uint64_t space,
				    uint64_t addr)
{
	return run->space == space && run->pid == pid &&
	       addr - run->span.start < run->span.end - run->span.start;
}

/*
 * The run of code around an address of process `pid`, whose set of maps is `space` (task_moment).
 * Valid until the next call.
 */
static inline const struct code_span *code_spans_find(struct code_span_runs *r, uint32_t pid,
						      uint64_t space, uint64_t addr,
						      uint64_t time_ns)
{
	if (code_spans_is_in(&r->items[r->last], pid, space, addr))
		return &r->items[r->last].span;
	return code_spans_look(r, pid, space, addr, time_ns);
}

#endif
