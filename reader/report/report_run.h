/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the captures of a report, up to its table.
 *
 *	report_run_open()    the capture, and those that are joined to it
 *	report_run_load()    sort keys, chunks, names and maps
 *	report_run_count()   stacks, rows; or report_run_stacks() without rows
 *	report_run_report()  the report to print
 *
 * report_follow.c counts piece by piece: it calls the single steps of load and count.
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
	struct joined_captures join; /* further captures */
	struct selection selection;
	struct chunk_table chunks;
	struct tasks *tasks;
	struct symbol_ahead symbol_ahead;
	struct symbols *symbols;
	struct sort_keys keys;
	regex_t parent; /* pattern of the key `parent` */
	bool has_parent;
	bool is_misuse; /* it failed because of the command line */
	struct capture_facts capture_facts;
	struct event_groups groups; /* groups that share a table; zeroed: none */
	struct aggregate_plan aggregate_plan;
	struct table_plan table_plan;
	struct aggregate aggregate;
	struct table table;
	double percent;		  /* counted percentage of the bytes with samples */
	struct damage damage;	  /* damage found so far; after merging, all of it */
	bool is_merged;		  /* all damage is in `damage` */
	struct ts_notes warnings; /* files that could not be used; the caller prints them */
};

/* Options, memory and progress must outlive *r. */
int report_run_open(struct report_run *r, const struct report_options *options,
		    struct memory *memory, struct progress *progress, unsigned int nr_workers,
		    struct ts_error *err);
/* 0; or -errno if names, lines or callers may be missing (symbols_check()). */
int report_run_check(const struct report_run *r, struct ts_error *err);
void report_run_close(struct report_run *r); /* accepts a zeroed one; idempotent */

/* Reads sort keys, chunks, names and maps. Adds to the warnings, even on failure. */
int report_run_load(struct report_run *r, struct ts_error *err);
/* Does the rest, up to the table. Further captures have warnings of their own. */
int report_run_count(struct report_run *r, struct ts_error *err);
/* The same without the table: only the stacks of the aggregate. */
int report_run_stacks(struct report_run *r, struct ts_error *err);

/* --- its steps --- */

/* Reads the sort keys of the options, with the events of the header. */
int report_run_read_keys(struct report_run *r, struct ts_error *err);
/*
 * Opens the facts of the capture for tags; if cgroup is a key, also reads the names of cgroups from
 * the chunks.
 */
int report_run_open_tags(struct report_run *r, struct ts_error *err);
/* Makes the plans of aggregate and table. */
int report_run_plan(struct report_run *r, struct ts_error *err);

/* --- what is known of it --- */

static inline bool report_run_has_several(const struct report_run *r)
{
	return r->options->nr_inputs > 1;
}

/* Does the selection leave samples of other times or CPUs unread? */
static inline bool report_run_is_partial(const struct report_run *r)
{
	const struct selection_text *text = &r->options->selection;

	return text->time || text->last || text->cpus;
}

/* The events of all captures. */
const struct ts_events *report_run_events(const struct report_run *r);
/* The number of samples that percentages are of. */
uint64_t report_run_nr_samples(const struct report_run *r);
/* Merges the damage that all passes found, each place once. Returns 0 or -ENOMEM. */
int report_run_merge_damage(struct report_run *r);
/* Makes the report to print; it is valid as long as *r. */
void report_run_report(const struct report_run *r, struct report *ret);

#endif
