/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call graph as text, in perf's drawing:
 *
 *	            |
 *	            |--63.4%--syscall
 *	            |          do_syscall_64
 *	            |
 *	             --1.9%--main
 *
 * Lists of callchains are print_chains.h's.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_REPORT_PRINT_GRAPH_H
#define TS_READER_REPORT_PRINT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/rows/callgraph.h"

struct graph_style {
	struct callgraph_style callgraph;
	bool skip_first; /* of a single way, the first frame repeats the row */
};

/* Appends the call graph of an entry, built with *g, for types graph and fractal. 0 or -ENOMEM. */
int print_graph(struct callgraph *g, const struct table_entry *entry,
		const struct graph_style *style, struct ts_bytes *out);

/* The function of a frame, or its address. */
void print_graph_frame(const struct callgraph *g, uint32_t node,
		       const struct callgraph_style *style, struct ts_bytes *out);
/* What a branch is labelled with: its share of `total`, its period or its samples. */
void print_graph_value(const struct callgraph_style *style, uint64_t period, uint64_t nr_samples,
		       uint64_t total, struct ts_bytes *out);

#endif
