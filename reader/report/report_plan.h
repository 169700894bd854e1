/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the command line of report into plans: how stacks are told apart, which keys make rows,
 * which columns rows have.
 *
 * Threads: main thread only; plans are constant.
 */
#ifndef TS_READER_REPORT_REPORT_PLAN_H
#define TS_READER_REPORT_REPORT_PLAN_H

#include "reader/report/report_options.h"
#include "reader/rows/sort_keys.h"
#include "reader/stacks/aggregate.h"

struct report_way { /* everything that is known before samples are read; plans point into it */
	const struct report_options *options;
	const struct sort_keys *keys;
	const regex_t *parent; /* pattern of the key `parent`; NULL: it is no key */
	const struct capture_facts *capture_facts;
	unsigned int nr_workers;
	enum unwind_way unwind; /* of the first capture */
};

/* Are callers counted if samples carry callchains? As in perf, they are not if rows are nested. */
bool report_wants_children(const struct report_options *o);
/* chains: samples carry callchains. */
void report_plan_table(const struct report_way *r, bool chains, struct table_plan *ret);
void report_plan_aggregate(const struct report_way *r, const struct table_plan *table,
			   struct aggregate_plan *ret);
void report_plan_columns(const struct report_way *r, bool children, struct report_columns *ret);
/*
 * As in perf, hides a column for which one word was selected, unless all columns would be hidden.
 */
void report_hide_columns(const struct selection *s, const struct table_plan *plan,
			 bool is_hidden[TABLE_NR_KEYS]);

#endif
