/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How call graphs are drawn: what -g and -G of the command line say.
 *
 * perf's syntax, in any order and with commas between: a print type, the least percentage of a
 * branch, after it how many branches a place has at most, the order, what tells frames apart, and
 * what a branch is labelled with. Words may be abbreviated.
 *
 * Threads: main thread only; a style that was read is constant.
 */
#ifndef TS_READER_ROWS_CALLGRAPH_STYLE_H
#define TS_READER_ROWS_CALLGRAPH_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

enum callgraph_type {
	CALLGRAPH_GRAPH,   /* a tree, shares of all */
	CALLGRAPH_FRACTAL, /* a tree, shares of what is above */
	CALLGRAPH_FLAT,	   /* callchains one below the other */
	CALLGRAPH_FOLDED,  /* callchains on one line each */
	CALLGRAPH_OFF,
};

enum callgraph_order {
	CALLGRAPH_ORDER_DEFAULT, /* caller with children, else callee, as perf has it */
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
	double min_share;      /* branches of less are not shown: 0 to 1 */
	uint32_t print_limit;  /* branches at one place, frames of a single way; 0: all */
	bool by_address;       /* frames are told apart by address, not by function */
	const char *separator; /* of the frames of a folded callchain; NULL: ";" */
};

/* perf's: graph,0.5,function,percent. */
void callgraph_style_init(struct callgraph_style *style);
/* Changes what `text` names and leaves the rest. -EINVAL with the sentence, or -ENOMEM. */
int callgraph_style_read(struct callgraph_style *style, const char *text, struct ts_error *err);

#endif
