/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How call graphs are drawn: the options -g and -G.
 *
 * The syntax is perf's, in any order, separated by commas: print type, least percentage of a
 * branch, order, key that tells frames apart, label of a branch. A second number is the largest
 * number of branches at one place. Words may be abbreviated.
 *
 * Threads: main thread only; once read, a style is constant.
 */
#ifndef TS_READER_ROWS_CALLGRAPH_STYLE_H
#define TS_READER_ROWS_CALLGRAPH_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

enum callgraph_type {
	CALLGRAPH_GRAPH,   /* a tree, shares of all */
	CALLGRAPH_FRACTAL, /* a tree, shares of the parent */
	CALLGRAPH_FLAT,	   /* callchains, one below the other */
	CALLGRAPH_FOLDED,  /* callchains, one per line */
	CALLGRAPH_OFF,
};

enum callgraph_order {
	CALLGRAPH_ORDER_DEFAULT, /* caller with children, else callee, as in perf */
	CALLGRAPH_CALLER,
	CALLGRAPH_CALLEE,
};

enum callgraph_value {
	CALLGRAPH_PERCENT,
	CALLGRAPH_PERIOD,
	CALLGRAPH_COUNT, /* samples */
};

struct callgraph_style {
	enum callgraph_type type;
	enum callgraph_order order;
	enum callgraph_value value;
	double min_share;      /* lighter branches are not shown: 0 to 1 */
	uint32_t print_limit;  /* branches at one place, frames of a single path; 0: all */
	bool by_address;       /* frames are told apart by address, not by function */
	const char *separator; /* of the frames of a folded callchain; NULL: ";" */
};

/* perf's: graph,0.5,function,percent. */
void callgraph_style_init(struct callgraph_style *style);
/*
 * Changes the fields that `text` names and no others. Returns 0, -EINVAL with a sentence, or
 * -ENOMEM.
 */
int callgraph_style_read(struct callgraph_style *style, const char *text, struct ts_error *err);

#endif
