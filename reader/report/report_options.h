/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of `tstream report`.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_REPORT_REPORT_OPTIONS_H
#define TS_READER_REPORT_REPORT_OPTIONS_H

#include <regex.h>
#include <stdbool.h>

#include "reader/chunks/selection.h"
#include "reader/objects/symbol_places.h"
#include "reader/report/report.h"
#include "reader/rows/callgraph_style.h"
#include "reader/rows/table.h"
#include "reader/samples/unwind.h"

#define REPORT_INPUTS_MAX   256
#define REPORT_STACK_KERNEL UINT32_MAX /* as many frames as the kernel records */

enum report_grouping {			      /* which events share a table */
		       REPORT_GROUP_RECORDED, /* as they were recorded: {a,b} */
		       REPORT_GROUP_ALL,      /* all events, if none were grouped when recorded */
		       REPORT_GROUP_NONE,
};

#define REPORT_PAGE_BYTES (20u << 20) /* of a page, without --html-limit */

struct picture_options { /* a picture in place of rows: report --svg, or --html */
	bool is_graph, is_page, is_icicle, is_forced;
	uint64_t most_bytes; /* of a page */
	const char *file;    /* NULL: CAPTURE.svg, or .html */
	const char *older;   /* a capture to compare with; it is the second input. NULL: none */
	const char *event;   /* NULL: the first that has samples */
};

struct report_options {
	uint64_t mem_limit;		       /* bytes */
	const char *inputs[REPORT_INPUTS_MAX]; /* the first one NULL: the default capture */
	size_t nr_inputs;
	const char *sort;    /* NULL: the default keys */
	uint64_t quantum_ns; /* of the key time */
	bool nanoseconds;    /* times are shown in nanoseconds */
	const char *fields;  /* NULL: the default columns */
	bool hierarchy;	     /* rows are nested by the keys */
	enum report_grouping grouping;
	uint32_t sort_member; /* rows are sorted first by this event of a group */
	bool wants_member;    /* --group-sort-idx was given */
	bool no_children, show_samples, show_period, show_modes;
	double min_percent;	/* of rows */
	enum unwind_way unwind; /* of dumped stacks */
	bool with_inlined;	/* inlined functions are frames of call chains */
	struct symbol_places places;
	bool explain;	       /* print where symbols came from, in place of rows */
	uint32_t max_stack;    /* most frames of a callchain; or REPORT_STACK_KERNEL */
	const char *separator; /* between columns; NULL: blanks */
	const char *parent;    /* pattern of the key `parent`; NULL: perf's, and it is no key */
	bool only_parents;
	const char *ignored; /* callees of these functions do not count; NULL: none */
	regex_t ignored_regex;
	unsigned int widths[REPORT_WIDTHS_MAX];
	size_t nr_widths;
	bool wants_graph; /* -g was given */
	bool is_inverted; /* -G: overrides the order that -g names */
	struct callgraph_style callgraph;
	bool stats, header, header_only, dump;
	bool tasks;	 /* only the tree of threads */
	bool mmaps;	 /* the same with their maps */
	bool raw_trace;	 /* the key trace shows raw fields */
	bool loss, json; /* in place of rows only loss can be JSON */
	bool quiet, verbose;
	bool follow; /* until the recording ends */
	struct picture_options picture;
	bool with_times;       /* single samples are kept */
	bool has_whole_stacks; /* recorded call chains are not cut, unless max_stack is given */
	struct selection_text selection;
	bool is_relative; /* percentages are of the selected samples */
	uint64_t nr_jobs; /* 0: one per CPU */
};

/* Is a picture wanted in place of rows? */
static inline bool report_options_draw(const struct report_options *o)
{
	return o->picture.is_graph || o->picture.is_page;
}

/* Sets the defaults; cmd_report_line (cmd_report.h) reads the command line. */
void report_options_init(struct report_options *options);
void report_options_release(struct report_options *options);

/* Readers of options that other commands share; their options begin with a struct report_options. */
int report_options_add_input(void *options, const char *arg, struct ts_error *err);
int report_options_read_max_stack(void *options, const char *arg, struct ts_error *err);

#endif
