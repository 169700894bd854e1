/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the callchains of an entry as a list, the heaviest first. Flat:
 *
 *	           63.40%
 *	                main
 *	                syscall
 *
 * and folded:
 *
 *	63.40% main;syscall
 *
 * Threads: starts none.
 */
#ifndef TS_READER_REPORT_PRINT_CHAINS_H
#define TS_READER_REPORT_PRINT_CHAINS_H

#include "common/base/bytes.h"
#include "reader/rows/callgraph.h"

/*
 * Appends the callchains of an entry, built with *g, for types flat and folded. Returns 0 or
 * -ENOMEM.
 */
int print_chains(struct callgraph *g, const struct table_entry *entry,
		 const struct callgraph_style *style, struct ts_bytes *out);

#endif
