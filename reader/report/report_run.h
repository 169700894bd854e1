/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture on its way to the table of a report.
 *
 *	report_run_open()    the capture, and those that are joined with it
 *	report_run_load()    sort keys, chunks, names and maps
 *	report_run_count()   stacks, rows
 *	report_run_report()  what printing them needs
 *
 * Who counts piece by piece takes single steps of the two.
 *
 * Threads: main thread only; counting uses several.
 */
#ifndef TS_READER_REPORT_REPORT_RUN_H
#define TS_READER_REPORT_REPORT_RUN_H

#include "common/base/notes.h"
#include "reader/capture/capture.h"
#include "reader/report/joined_captures.h"
#include "reader/report/report.h"
#include "reader/report/report_options.h"
#include "reader/rows/sort_keys.h"
#include "reader/rows/table.h"
#include "reader/stacks/aggregate.h"
#include "reader/stacks/capture_facts.h"
#include "reader/symbols/symbol_ahead.h"

struct report_run {
	const struct report_options *options;
	unsigned int nr_workers;
	struct capture capture;
	struct joined_captures join; /* captures beside it */
	struct selection selection;
	struct chunk_table chunks;
	struct ts_tasks *tasks;
	struct symbol_ahead symbol_ahead;
	struct symbols *symbols;
	struct sort_keys keys;
	bool is_misuse; /* of the command line: why it failed */
	struct capture_facts capture_facts;
	struct event_groups groups; /* that tables are of; of none where it is zeroed */
	struct aggregate_plan aggregate_plan;
	struct table_plan table_plan;
	struct aggregate aggregate;
	struct table table;
	double percent;		  /* of the bytes with samples that were counted */
	struct damage damage;	  /* what was met on the way, before it is merged */
	bool is_merged;		  /* it was */
	struct ts_notes warnings; /* files that could not be used: the caller's to print */
};

/* Options, spill and progress outlive it. */
int report_run_open(struct report_run *r, const struct report_options *options, struct spill *spill,
		    struct progress *progress, unsigned int nr_workers, struct ts_error *err);
void report_run_close(struct report_run *r); /* accepts a zeroed one; idempotent */

/* What samples are looked up in; adds to the warnings, also when it fails. */
int report_run_load(struct report_run *r, struct ts_error *err);
/* Then the rest, up to the table. Captures beside the first one have warnings of their own. */
int report_run_count(struct report_run *r, struct ts_error *err);

/* --- its steps --- */

/* The sort keys of the options, as the header of the capture has them. */
int report_run_read_keys(struct report_run *r, struct ts_error *err);
/* What samples are told apart by, behind the keys; out of the chunks, the names of cgroups. */
int report_run_open_tags(struct report_run *r, struct ts_error *err);
/* The plans of aggregate and table. */
int report_run_plan(struct report_run *r, struct ts_error *err);

/* --- what is known of it --- */

static inline bool report_run_has_several(const struct report_run *r)
{
	return r->options->nr_inputs > 1;
}

/* Samples of other times and CPUs are not known then. */
static inline bool report_run_is_partial(const struct report_run *r)
{
	const struct selection_text *text = &r->options->selection;

	return text->time || text->last || text->cpus;
}

/* Those of all captures. */
const struct ts_events *report_run_events(const struct report_run *r);
/* Those that percentages are of. */
uint64_t report_run_nr_samples(const struct report_run *r);
/* Names each damaged place once, whichever passes met it. -ENOMEM. */
int report_run_merge_damage(struct report_run *r);
/* The table as it is to be printed; as long as the reading. */
void report_run_report(const struct report_run *r, struct report *ret);

#endif
