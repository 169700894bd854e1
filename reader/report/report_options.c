// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/report/report_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/units.h"
#include "reader/chunks/selection_options.h"
#include "reader/objects/symbol_place_options.h"
#include "reader/report/cmd_report.h"
#include "reader/report/report_perf_options.h"
#include "reader/rows/parent_key.h"
#include "reader/rows/sort_keys.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/memory_options.h"
#include "reader/runtime/workers.h"
#include "reader/samples/unwind_options.h"

#define QUANTUM_NS 100000000 /* as in perf */
#define WIDTH_MAX  10000

static bool is_same(const char *a, const char *b)
{
	struct stat at, bt;

	return !strcmp(a, b) ||
	       (!stat(a, &at) && !stat(b, &bt) && at.st_dev == bt.st_dev && at.st_ino == bt.st_ino);
}

int report_options_add_input(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	if (o->nr_inputs == REPORT_INPUTS_MAX)
		return ts_error_set(err, EINVAL, "cannot read more than %d captures",
				    REPORT_INPUTS_MAX);
	for (size_t i = 0; i < o->nr_inputs; i++)
		if (is_same(o->inputs[i], arg))
			return ts_error_set(err, EINVAL,
					    "cannot read '%s' more than once: its samples would be "
					    "counted again",
					    arg);
	o->inputs[o->nr_inputs++] = arg;
	return 0;
}

static int take_word(void *options, char **rest, struct ts_error *err)
{
	return report_options_add_input(options, *rest, err);
}

static int read_sort(void *options, const char *arg, struct ts_error *err)
{
	((struct report_options *)options)->sort = arg;
	return sort_keys_check(arg, err);
}

static int read_fields(void *options, const char *arg, struct ts_error *err)
{
	((struct report_options *)options)->fields = arg;
	return sort_keys_check(arg, err);
}

static int read_widths(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;
	char *end;

	for (o->nr_widths = 0; o->nr_widths < REPORT_WIDTHS_MAX; arg = end + 1) {
		unsigned long width = strtoul(arg, &end, 10);

		if (end == arg || *arg == '-' || width > WIDTH_MAX || (*end && *end != ','))
			break;
		o->widths[o->nr_widths++] = (unsigned int)width;
		if (!*end)
			return 0;
	}
	return ts_error_set(
		err, EINVAL,
		"cannot set the column widths '%s': give numbers up to %d, separated by commas",
		arg, WIDTH_MAX);
}

static int read_separator(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	o->callgraph.separator = o->separator = !strcmp(arg, "\\t") ? "\t" : arg;
	if (!*arg || *arg == '.')
		return ts_error_set(err, EINVAL,
				    "cannot separate columns by '%s': it must not be empty or "
				    "begin with '.', which replaces it in names",
				    arg);
	return 0;
}

static int read_limit(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;
	char *end;

	o->min_percent = strtod(arg, &end);
	if (end == arg || *end || !(o->min_percent >= 0 && o->min_percent <= 100))
		return ts_error_set(
			err, EINVAL,
			"cannot leave out rows below '%s' percent: give a number from 0 to "
			"100",
			arg);
	o->callgraph.min_share = o->min_percent / 100;
	return 0;
}

static int read_ignored(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	if (o->ignored)
		regfree(&o->ignored_regex);
	o->ignored = NULL;
	if (regcomp(&o->ignored_regex, arg, REG_EXTENDED | REG_NOSUB))
		return ts_error_set(
			err, EINVAL,
			"cannot ignore callees of '%s': it is not an extended regular expression",
			arg);
	o->ignored = arg;
	return 0;
}

int report_options_read_max_stack(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;
	uint64_t nr;

	if (ts_units_parse_u64(arg, &nr) || nr >= REPORT_STACK_KERNEL)
		return ts_error_set(err, EINVAL,
				    "cannot count '%s' frames: give a number, 0 or more", arg);
	o->max_stack = (uint32_t)nr;
	return 0;
}

static int read_member(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;
	uint64_t nr;

	if (ts_units_parse_u64(arg, &nr) || nr > UINT32_MAX)
		return ts_error_set(
			err, EINVAL,
			"cannot sort by event '%s' of a group: give its number (the first is 0)",
			arg);
	o->sort_member = (uint32_t)nr;
	o->wants_member = true;
	return 0;
}

static int read_quantum(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	if (ts_units_parse_time(arg, 0, &o->quantum_ns) || !o->quantum_ns)
		return ts_error_set(err, EINVAL,
				    "cannot sort by times of '%s': give a time, such as 100ms",
				    arg);
	return 0;
}

static int read_graph(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	o->wants_graph = true;
	return callgraph_style_read(&o->callgraph, arg ? arg : "", err);
}

static int read_svg(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	(void)err;
	o->picture.is_graph = true;
	o->picture.file = arg;
	return 0;
}

static int read_html(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	o->picture.is_page = true;
	o->picture.file = arg;
#ifdef HTML_LACKS
	ts_error_set(err, EINVAL, "cannot make a page: this tstream was built without " HTML_LACKS);
	return ts_error_hint(err, "install it with its headers, then configure and make again");
#else
	(void)err;
	return 0;
#endif
}

static int read_page_limit(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	if (ts_units_parse_size(arg, &o->picture.most_bytes) || !o->picture.most_bytes)
		return ts_error_set(err, EINVAL,
				    "cannot limit a page to '%s': give a size, such as 20M", arg);
	return 0;
}

/* The option that asks for the tree of threads; NULL: none. */
static const char *tasks_option(const struct report_options *o)
{
	return o->mmaps ? "--mmaps" : o->tasks ? "--tasks" : NULL;
}

/* At most one of these is printed in place of rows. */
static int check_instead(const struct report_options *o, struct ts_error *err)
{
	const struct {
		bool is_given;
		const char *name;
	} instead[] = {
		{o->loss, "--loss"},
		{o->stats, "--stats"},
		{o->tasks, tasks_option(o)},
		{o->dump, "-D"},
		{o->header_only, "--header-only"},
		{o->explain, "--explain-symbols"},
		{o->picture.is_graph, "--svg"},
		{o->picture.is_page, "--html"},
	};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(instead) / sizeof(*instead); i++) {
		if (!instead[i].is_given)
			continue;
		if (first)
			return ts_error_set(err, EINVAL,
					    "cannot show %s and %s at once: give one of them",
					    first, instead[i].name);
		first = instead[i].name;
		if (o->json && !o->loss)
			return ts_error_set(err, EINVAL,
					    "cannot print %s as JSON: give one of them", first);
	}
	if (o->loss && (o->wants_graph || o->show_samples))
		return ts_error_set(err, EINVAL,
				    "cannot show --loss and %s at once: give one of them",
				    o->wants_graph ? "-g" : "-n");
	return 0;
}

/* Options that do not go together with JSON. */
static int check_json(const struct report_options *o, struct ts_error *err)
{
	if (o->json && (o->separator || o->nr_widths))
		return ts_error_set(err, EINVAL, "cannot use -t or -w with --json: leave them out");
	if (o->json && (o->grouping == REPORT_GROUP_ALL || o->wants_member))
		return ts_error_set(err, EINVAL,
				    "cannot group events in JSON, which lists each event alone: "
				    "leave --group and --group-sort-idx out");
	if (o->json && o->header)
		return ts_error_set(err, EINVAL,
				    "cannot print the header as JSON: leave --header out");
	return 0;
}

static int check_explain(const struct report_options *o, struct ts_error *err)
{
	if (o->explain && o->nr_inputs > 1)
		return ts_error_set(err, EINVAL,
				    "cannot explain the symbols of several captures: give one");
	return 0;
}

static int check_groups(const struct report_options *o, struct ts_error *err)
{
	if (o->grouping == REPORT_GROUP_ALL && o->nr_inputs > 1)
		return ts_error_set(
			err, EINVAL,
			"cannot group the events of several captures: give one, or leave "
			"--group out");
	if (o->grouping == REPORT_GROUP_NONE && o->wants_member)
		return ts_error_set(err, EINVAL,
				    "cannot sort by an event of a group without groups: leave "
				    "--no-group or --group-sort-idx out");
	return 0;
}

static int check_columns(const struct report_options *o, struct ts_error *err)
{
	if (o->hierarchy && o->fields)
		return ts_error_set(
			err, EINVAL,
			"cannot nest rows (--hierarchy) in columns of --fields: give one "
			"of them");
	return 0;
}

/* Sections in place of rows do not support all filters. */
static int check_selection(const struct report_options *o, struct ts_error *err)
{
	const struct selection_text *t = &o->selection;
	const char *whole = o->loss ? "--loss" : o->header_only ? "--header-only" : tasks_option(o);

	if (!selection_text_is_some(t))
		return 0;
	if (whole)
		return ts_error_set(err, EINVAL,
				    "cannot show %s of a part of the capture: leave out either it "
				    "or the selection",
				    whole);
	if (o->dump)
		return selection_check_dump(t, err);
	if (o->stats && (t->comms || t->dsos || t->symbols || t->symbol_part || t->is_known))
		return ts_error_set(
			err, EINVAL,
			"cannot count records by command, object or function: select by --time, "
			"--cpu, --pid or --tid");
	return 0;
}

static int check_follow(const struct report_options *o, struct ts_error *err)
{
	const char *other = o->stats	     ? "--stats"
			    : o->tasks	     ? tasks_option(o)
			    : o->loss	     ? "--loss"
			    : o->dump	     ? "-D"
			    : o->header_only ? "--header-only"
					     : NULL;

	if (!o->follow)
		return 0;
	if (other)
		return ts_error_set(err, EINVAL, "cannot follow with %s: only rows are followed",
				    other);
	if (o->nr_inputs > 1)
		return ts_error_set(err, EINVAL, "cannot follow several captures: give one");
	if (o->selection.time && time_ranges_are_shares(o->selection.time))
		return ts_error_set(err, EINVAL,
				    "cannot follow a share of the time: give START,STOP or --last");
	return 0;
}

/* Options of rows, which would change nothing in a picture; NULL: none was given. */
static const char *option_of_rows(const struct report_options *o)
{
	const struct {
		bool is_given;
		const char *name;
	} rows[] = {
		{o->sort, "--sort"},
		{o->fields, "--fields"},
		{o->parent, "--parent"},
		{o->only_parents, "--exclude-other"},
		{o->hierarchy, "--hierarchy"},
		{o->wants_graph, "--call-graph"},
		{o->header, "--header"},
		{o->separator, "--field-separator"},
		{o->nr_widths, "--column-widths"},
		{o->show_samples, "--show-nr-samples"},
		{o->show_period, "--show-total-period"},
		{o->show_modes, "--show-cpu-utilization"},
		{o->no_children, "--no-children"},
		{o->min_percent > 0, "--percent-limit"},
		{o->is_relative, "--percentage"},
		{o->raw_trace, "--raw-trace"},
		{o->grouping != REPORT_GROUP_RECORDED, "--group and --no-group"},
		{o->wants_member, "--group-sort-idx"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_given)
			return rows[i].name;
	return NULL;
}

/* Options of a picture that was not asked for; NULL: none. *ret_wanted: what would have a use for it. */
static const char *option_of_picture(const struct picture_options *p, const char **ret_wanted)
{
	const struct {
		bool is_given, is_wanted;
		const char *name, *wanted;
	} options[] = {
		{p->older, p->is_graph, "--diff", "--svg"},
		{p->is_icicle, p->is_graph, "--icicle", "--svg"},
		{p->most_bytes, p->is_page, "--html-limit", "--html"},
		{p->event, p->is_graph || p->is_page, "--event", "--svg or --html"},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].is_given && !options[i].is_wanted) {
			*ret_wanted = options[i].wanted;
			return options[i].name;
		}
	return NULL;
}

/* A page turns its graph itself. */
static int check_picture(const struct report_options *o, struct ts_error *err)
{
	const char *wanted, *alone = option_of_picture(&o->picture, &wanted);
	const char *other = option_of_rows(o);
	const char *picture = o->picture.is_page ? "--html" : "--svg";

	if (alone)
		return ts_error_set(err, EINVAL, "cannot use %s %s: give %s", alone,
				    o->picture.is_page	  ? "with --html"
				    : o->picture.is_graph ? "with --svg"
							  : "without a picture",
				    wanted);
	if (!report_options_draw(o))
		return 0;
	if (other)
		return ts_error_set(err, EINVAL,
				    "cannot draw with %s: it is for rows; leave it out", other);
	if (o->picture.is_page && o->is_inverted)
		return ts_error_set(err, EINVAL,
				    "cannot invert a page, which can be turned in the browser: "
				    "leave --inverted out");
	return o->follow ? ts_error_set(err, EINVAL,
					"cannot follow with %s: only rows are followed", picture)
			 : 0;
}

/* The older capture becomes the second input, also beside the default capture (inputs[0] NULL). */
static int add_older(struct report_options *o, struct ts_error *err)
{
	if (o->nr_inputs > 1)
		return ts_error_set(err, EINVAL,
				    "cannot compare several captures with %s: give one",
				    o->picture.older);
	o->inputs[1] = o->picture.older;
	o->nr_inputs = 2;
	return 0;
}

static int read_percentage(void *options, const char *arg, struct ts_error *err)
{
	struct report_options *o = options;

	o->is_relative = !strcmp(arg, "relative");
	if (!o->is_relative && strcmp(arg, "absolute") != 0)
		return ts_error_set(err, EINVAL,
				    "cannot show percentages as '%s': give relative or absolute",
				    arg);
	return 0;
}

/*
 * Called after the last option: sets options that follow from others, and checks whether they go
 * together.
 */
static int settle_options(void *options, struct ts_error *err)
{
	static int (*const checks[])(const struct report_options *o, struct ts_error *err) = {
		check_instead, check_json,    check_explain, check_selection,
		check_follow,  check_columns, check_groups,  check_picture,
	};
	struct report_options *o = options;
	int rc;

	if (o->is_inverted)
		o->callgraph.order = CALLGRAPH_CALLER;
	o->tasks |= o->mmaps;
	o->with_times = o->picture.is_page;
	rc = o->picture.older ? add_older(o, err) : 0;
	if (!rc)
		rc = selection_settle(&o->selection, err);
	for (size_t i = 0; !rc && i < sizeof(checks) / sizeof(checks[0]); i++)
		rc = checks[i](o, err);
	return rc;
}

#define AT(field) .at = offsetof(struct report_options, field)
#define BESIDE	  .is_beside = true

#ifdef HTML_LACKS
#define HTML_HELP "not in this build: it lacks " HTML_LACKS
#else
#define HTML_HELP "a page to explore (CAPTURE.html)"
#endif

static const struct ts_option option_rows[] = {
	{TS_OPTION_READ, "sort", 's', "KEYS",
	 "comm, pid, tid, dso, sym, srcline, srcfile, cpu, socket, node, time, cgroup, event, "
	 "host, "
	 "trace, fields of tracepoints (comm,dso,sym); +KEYS adds to these",
	 .group = "Rows", .read = read_sort},
	{TS_OPTION_NO_FLAG, "children", .help = "count callers, too (default)", AT(no_children)},
	{TS_OPTION_FLAG, "no-children", .help = "do not", BESIDE, AT(no_children)},
	{TS_OPTION_READ, "percent-limit", 0, "PERCENT", "leave smaller rows and branches out",
	 .read = read_limit},
	{TS_OPTION_READ, "percentage", 0, "OF", "of the selection (relative) or of all (absolute)",
	 .read = read_percentage},
	{TS_OPTION_READ, "time-quantum", 0, "TIME", "of the key time (100ms)",
	 .read = read_quantum},
	{TS_OPTION_FLAG, "ns", BESIDE, AT(nanoseconds)},
	{TS_OPTION_FLAG, "raw-trace", .help = "trace by field", BESIDE, AT(raw_trace)},
	{TS_OPTION_FLAG, "hierarchy", .help = "nest rows by key; one level: {KEY,KEY}",
	 AT(hierarchy)},
	{TS_OPTION_CHOICE, "group", .help = "events share a table", AT(grouping),
	 .sets = REPORT_GROUP_ALL},
	{TS_OPTION_CHOICE, "no-group", .help = "each has its own", BESIDE, AT(grouping),
	 .sets = REPORT_GROUP_NONE},
	{TS_OPTION_READ, "group-sort-idx", 0, "N", BESIDE, .read = read_member},

	{TS_OPTION_READ, "fields", 'F', "COLUMNS",
	 "keys, and overhead, overhead_children, overhead_sys, overhead_us, sample, period",
	 .group = "Columns", .read = read_fields},
	{TS_OPTION_FLAG, "show-nr-samples", 'n', NULL, AT(show_samples)},
	{TS_OPTION_FLAG, "show-total-period", BESIDE, AT(show_period)},
	{TS_OPTION_FLAG, "show-cpu-utilization", BESIDE, AT(show_modes)},
	{TS_OPTION_READ, "field-separator", 't', "TEXT", "between columns", .read = read_separator},
	{TS_OPTION_READ, "column-widths", 'w', "LIST", BESIDE, .read = read_widths},

	{TS_OPTION_READ, "call-graph", 'g', "[WORDS]",
	 "graph, fractal, flat, folded, none; least percentage, most branches; caller, callee; "
	 "function, address; percent, period, count",
	 .group = "Callers", .read = read_graph, .may_be_next = true},
	{TS_OPTION_FLAG, "inverted", 'G', NULL, "callers first", AT(is_inverted)},
	{TS_OPTION_READ, "ignore-callees", 0, "REGEX", "add callees to these functions",
	 .read = read_ignored},
	{TS_OPTION_READ, "max-stack", 0, "N", "frames", BESIDE,
	 .read = report_options_read_max_stack},
	{TS_OPTION_PART, .part = unwind_rows, AT(unwind)},
	{TS_OPTION_FLAG, "inline", .help = "count inlined functions as callers (DWARF)",
	 AT(with_inlined)},
	{TS_OPTION_NO_FLAG, "no-inline", .is_hidden = true, AT(with_inlined)}, /* the default */
	{TS_OPTION_TEXT, "parent", 'p', "REGEX", "sort by the first caller of that name, too",
	 AT(parent)},
	{TS_OPTION_FLAG, "exclude-other", 'x', NULL, "only rows that have a parent",
	 AT(only_parents)},

	{TS_OPTION_PART, .part = symbol_place_rows, AT(places)},

	{TS_OPTION_PART, .part = selection_rows, AT(selection)},
	{TS_OPTION_FLAG, "hide-unresolved", 'U', NULL, BESIDE, AT(selection.is_known)},

	{TS_OPTION_READ, "html", 0, "[FILE]", HTML_HELP, .group = "Picture", .read = read_html},
	{TS_OPTION_READ, "html-limit", 0, "SIZE", "(20M)", BESIDE, .read = read_page_limit},
	{TS_OPTION_READ, "svg", 0, "[FILE]", "a flame graph (CAPTURE.svg)", .read = read_svg},
	{TS_OPTION_FLAG, "icicle", .help = "root on top", BESIDE, AT(picture.is_icicle)},
	{TS_OPTION_TEXT, "diff", 0, "OLD", "colour changes", AT(picture.older)},
	{TS_OPTION_TEXT, "event", 'e', "EVENT", BESIDE, AT(picture.event)},
	{TS_OPTION_FLAG, "force", 'f', NULL, BESIDE, AT(picture.is_forced)},

	{TS_OPTION_FLAG, "loss", .help = "lost records: where, when, why", .group = "Instead",
	 AT(loss)},
	{TS_OPTION_FLAG, "stats", .help = "records by type", BESIDE, AT(stats)},
	{TS_OPTION_FLAG, "tasks", .help = "threads and their parents", AT(tasks)},
	{TS_OPTION_FLAG, "mmaps", .help = "and their maps", BESIDE, AT(mmaps)},
	{TS_OPTION_FLAG, "header-only", .help = "the header", AT(header_only)},
	{TS_OPTION_FLAG, "header", .help = "the same, before rows", BESIDE, AT(header)},
	{TS_OPTION_FLAG, "explain-symbols", .help = "sources of symbols, and failures",
	 AT(explain)},
	{TS_OPTION_FLAG, "dump-raw-trace", 'D', NULL, "each record as it is", AT(dump)},

	{TS_OPTION_READ, "input", 'i', "FILE", "captures, joined (tstream.data or perf.data)",
	 .group = "How", .read = report_options_add_input},
	{TS_OPTION_FLAG, "follow", .help = "until the recording ends; live on a terminal",
	 AT(follow)},
	{TS_OPTION_FLAG, "json", .help = "as docs/report.schema.json says; also with --loss",
	 AT(json)},
	{TS_OPTION_NOTHING, "stdio", .is_hidden = true},
	{TS_OPTION_NUMBER, "jobs", 'j', "N", "threads (one a CPU)", AT(nr_jobs), .least = 1,
	 .most = WORKERS_MAX},
	{TS_OPTION_PART, .part = memory_rows, AT(mem_limit)},
	{TS_OPTION_FLAG, "quiet", 'q', NULL, "only rows", AT(quiet)},
	{TS_OPTION_FLAG, "verbose", 'v', NULL, "say how much was read", BESIDE, AT(verbose)},
	{TS_OPTION_PART, .part = report_perf_rows},
	{0},
};

const struct ts_command cmd_report_line = {
	.name = "report",
	.summary = "show where the samples of a capture were taken",
	.words = "[CAPTURE...]",
	.purpose =
		"Reports where the samples of captures were taken: directories or perf.data files.",
	.rows = option_rows,
	.more = "Options of perf report that are missing here are refused with a hint. See\n"
		"'man tstream-report'.",
	.take_word = take_word,
	.settle = settle_options,
};

void report_options_init(struct report_options *options)
{
	*options = (struct report_options){.quantum_ns = QUANTUM_NS,
					   .max_stack = REPORT_STACK_KERNEL,
					   .mem_limit = MEMORY_LIMIT_DEFAULT};
	callgraph_style_init(&options->callgraph);
}

void report_options_release(struct report_options *options)
{
	symbol_places_release(&options->places);
	selection_text_release(&options->selection);
	if (options->ignored)
		regfree(&options->ignored_regex);
	options->ignored = NULL;
}
