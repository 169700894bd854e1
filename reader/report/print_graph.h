/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws a call graph as text, as perf does:
 *
 *	            |
 *	            |--63.4%--syscall
 *	            |          do_syscall_64
 *	            |
 *	             --1.9%--main
 *
 * print_chains.h prints lists of callchains.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_REPORT_PRINT_GRAPH_H
#define TS_READER_REPORT_PRINT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/rows/callgraph.h"

struct graph_style {
	struct callgraph_style callgraph;
	bool skip_first; /* leave out the first frame of a single path: it repeats the row */
};

/*
 * Appends the call graph of an entry, built with *g, for types graph and fractal. Returns 0 or
 * -ENOMEM.
 */
int print_graph(struct callgraph *g, const struct table_entry *entry,
		const struct graph_style *style, struct ts_bytes *out);

/* Prints the function of a frame, or its address. */
void print_graph_frame(const struct callgraph *g, uint32_t node,
		       const struct callgraph_style *style, struct ts_bytes *out);
/* Prints the label of a branch: its share of `total`, its period or its samples. */
void print_graph_value(const struct callgraph_style *style, uint64_t period, uint64_t nr_samples,
		       uint64_t total, struct ts_bytes *out);

#endif
