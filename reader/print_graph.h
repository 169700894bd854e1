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
 * Threads: none of its own.
 */
#ifndef TS_READER_PRINT_GRAPH_H
#define TS_READER_PRINT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "reader/callgraph.h"

/*
 * Appends the graph of an entry whose total is `entry_period`; percentages are of `total`. With
 * skip_first the first frame of a single way is left out. 0 or -ENOMEM.
 */
int print_graph(const struct callgraph *g, uint64_t entry_period, uint64_t total, bool skip_first,
		struct ts_bytes *out);

#endif
