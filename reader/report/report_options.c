// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/units.h"
#include "reader/chunks/selection_options.h"
#include "reader/commands/command_line.h"
#include "reader/report/report_perf_options.h"
#include "reader/rows/parent_key.h"
#include "reader/rows/sort_keys.h"
#include "reader/runtime/workers.h"

#define QUANTUM_NS 100000000 /* as perf has it */
#define WIDTH_MAX  10000

enum { /* options without a letter */
       OPTION_CHILDREN = 256,
       OPTION_NO_CHILDREN,
       OPTION_STATS,
       OPTION_TASKS,
       OPTION_MMAPS,
       OPTION_RAW_TRACE,
       OPTION_HEADER,
       OPTION_HEADER_ONLY,
       OPTION_STDIO,
       OPTION_LOSS,
       OPTION_JSON,
       OPTION_PERCENTAGE,
       OPTION_QUANTUM,
       OPTION_NS,
       OPTION_HIERARCHY,
       OPTION_PERIOD,
       OPTION_MODES,
       OPTION_LIMIT,
       OPTION_MAX_STACK,
       OPTION_UNWIND,
       OPTION_INLINE,
       OPTION_NO_INLINE,
       OPTION_EXPLAIN,
       OPTION_IGNORE,
       OPTION_FOLLOW,
       OPTION_GROUP,
       OPTION_NO_GROUP,
       OPTION_GROUP_SORT,
};

static const struct argp_option option_table[] = {
	{"input", 'i', "FILE", 0, NULL, 0},
	{"sort", 's', "KEYS", 0, NULL, 0},
	{"time-quantum", OPTION_QUANTUM, "TIME", 0, NULL, 0},
	{"ns", OPTION_NS, NULL, 0, NULL, 0},
	{"hierarchy", OPTION_HIERARCHY, NULL, 0, NULL, 0},
	{"group", OPTION_GROUP, NULL, 0, NULL, 0},
	{"no-group", OPTION_NO_GROUP, NULL, 0, NULL, 0},
	{"group-sort-idx", OPTION_GROUP_SORT, "N", 0, NULL, 0},
	{"fields", 'F', "COLUMNS", 0, NULL, 0},
	{"show-total-period", OPTION_PERIOD, NULL, 0, NULL, 0},
	{"show-cpu-utilization", OPTION_MODES, NULL, 0, NULL, 0},
	{"column-widths", 'w', "LIST", 0, NULL, 0},
	{"field-separator", 't', "TEXT", 0, NULL, 0},
	{"percent-limit", OPTION_LIMIT, "PERCENT", 0, NULL, 0},
	{"ignore-callees", OPTION_IGNORE, "REGEX", 0, NULL, 0},
	{"max-stack", OPTION_MAX_STACK, "N", 0, NULL, 0},
	{"unwind", OPTION_UNWIND, "WAY", 0, NULL, 0},
	{"inline", OPTION_INLINE, NULL, 0, NULL, 0},
	{"no-inline", OPTION_NO_INLINE, NULL, OPTION_HIDDEN, NULL, 0}, /* the default */
	{"explain-symbols", OPTION_EXPLAIN, NULL, 0, NULL, 0},
	{"show-nr-samples", 'n', NULL, 0, NULL, 0},
	{"children", OPTION_CHILDREN, NULL, 0, NULL, 0},
	{"no-children", OPTION_NO_CHILDREN, NULL, 0, NULL, 0},
	{"call-graph", 'g', "WORDS", OPTION_ARG_OPTIONAL, NULL, 0},
	{"parent", 'p', "REGEX", 0, NULL, 0},
	{"exclude-other", 'x', NULL, 0, NULL, 0},
	{"inverted", 'G', NULL, 0, NULL, 0},
	{"hide-unresolved", 'U', NULL, 0, NULL, 0},
	{"percentage", OPTION_PERCENTAGE, "OF", 0, NULL, 0},
	{"stats", OPTION_STATS, NULL, 0, NULL, 0},
	{"tasks", OPTION_TASKS, NULL, 0, NULL, 0},
	{"mmaps", OPTION_MMAPS, NULL, 0, NULL, 0},
	{"raw-trace", OPTION_RAW_TRACE, NULL, 0, NULL, 0},
	{"loss", OPTION_LOSS, NULL, 0, NULL, 0},
	{"json", OPTION_JSON, NULL, 0, NULL, 0},
	{"header", OPTION_HEADER, NULL, 0, NULL, 0},
	{"header-only", OPTION_HEADER_ONLY, NULL, 0, NULL, 0},
	{"dump-raw-trace", 'D', NULL, 0, NULL, 0},
	{"follow", OPTION_FOLLOW, NULL, 0, NULL, 0},
	{"stdio", OPTION_STDIO, NULL, 0, NULL, 0},
	{"jobs", 'j', "N", 0, NULL, 0},
	{"quiet", 'q', NULL, 0, NULL, 0},
	{"verbose", 'v', NULL, 0, NULL, 0},
	{"help", 'h', NULL, 0, NULL, 0}, /* before argp's, too long for a screen */
	{NULL, '?', NULL, OPTION_ALIAS, NULL, 0},
	{0},
};

static bool is_same(const char *a, const char *b)
{
	struct stat at, bt;

	return !strcmp(a, b) ||
	       (!stat(a, &at) && !stat(b, &bt) && at.st_dev == bt.st_dev && at.st_ino == bt.st_ino);
}

static void add_input(struct report_options *o, const char *arg, struct argp_state *state)
{
	if (o->nr_inputs == REPORT_INPUTS_MAX)
		argp_error(state, "cannot report on more than %d captures", REPORT_INPUTS_MAX);
	for (size_t i = 0; i < o->nr_inputs; i++)
		if (is_same(o->inputs[i], arg))
			argp_error(state,
				   "cannot report on '%s' twice: its samples would count twice",
				   arg);
	o->inputs[o->nr_inputs++] = arg;
}

/* A list of keys or of columns. */
static const char *read_keys(const char *arg, struct argp_state *state)
{
	struct ts_error err;

	if (sort_keys_check(arg, &err))
		argp_error(state, "%s%s%s", err.text, *err.hint ? ": " : "", err.hint);
	return arg;
}

static void read_widths(struct report_options *o, const char *arg, struct argp_state *state)
{
	char *end;

	for (o->nr_widths = 0; o->nr_widths < REPORT_WIDTHS_MAX; arg = end + 1) {
		unsigned long width = strtoul(arg, &end, 10);

		if (end == arg || *arg == '-' || width > WIDTH_MAX || (*end && *end != ','))
			break;
		o->widths[o->nr_widths++] = (unsigned int)width;
		if (!*end)
			return;
	}
	argp_error(state,
		   "cannot make columns as wide as '%s': give numbers up to %d with commas between",
		   arg, WIDTH_MAX);
}

static void read_separator(struct report_options *o, const char *arg, struct argp_state *state)
{
	o->callgraph.separator = o->separator = !strcmp(arg, "\\t") ? "\t" : arg;
	if (!*arg || *arg == '.')
		argp_error(state,
			   "cannot put '%s' between columns: it must not be empty or begin "
			   "with '.', which stands for it in names",
			   arg);
}

static void read_limit(struct report_options *o, const char *arg, struct argp_state *state)
{
	char *end;

	o->min_percent = strtod(arg, &end);
	if (end == arg || *end || !(o->min_percent >= 0 && o->min_percent <= 100))
		argp_error(state,
			   "cannot leave out rows below '%s' percent: give a number from 0 to "
			   "100",
			   arg);
	o->callgraph.min_share = o->min_percent / 100;
}

static void read_parent(struct report_options *o, const char *arg, struct argp_state *state)
{
	if (regcomp(&o->parent_regex, arg ? arg : PARENT_DEFAULT, REG_EXTENDED | REG_NOSUB))
		argp_error(state,
			   "cannot look for parents by '%s': it is no extended regular expression",
			   arg);
	o->has_parent_regex = true;
}

static void read_ignored(struct report_options *o, const char *arg, struct argp_state *state)
{
	if (o->ignored)
		regfree(&o->ignored_regex);
	o->ignored = NULL;
	if (regcomp(&o->ignored_regex, arg, REG_EXTENDED | REG_NOSUB))
		argp_error(state,
			   "cannot ignore callees of '%s': it is no extended regular expression",
			   arg);
	o->ignored = arg;
}

static void read_max_stack(struct report_options *o, const char *arg, struct argp_state *state)
{
	uint64_t nr;

	if (ts_parse_u64(arg, &nr) || nr >= REPORT_STACK_KERNEL)
		argp_error(state, "cannot count '%s' frames: give a number from 0", arg);
	o->max_stack = (uint32_t)nr;
}

static void read_member(struct report_options *o, const char *arg, struct argp_state *state)
{
	uint64_t nr;

	if (ts_parse_u64(arg, &nr) || nr > UINT32_MAX)
		argp_error(state,
			   "cannot sort by event '%s' of a group: give its number, the first is 0",
			   arg);
	o->sort_member = (uint32_t)nr;
	o->wants_member = true;
}

static void read_quantum(struct report_options *o, const char *arg, struct argp_state *state)
{
	if (ts_parse_time(arg, 0, &o->quantum_ns) || !o->quantum_ns)
		argp_error(state, "cannot sort by times of '%s': give a time, such as 100ms", arg);
}

static void read_graph(struct report_options *o, const char *arg, struct argp_state *state)
{
	struct ts_error err;

	o->wants_graph = true;
	/* As with perf the mode may be the next word: -g caller. */
	if (!arg && state->next < state->argc && state->argv[state->next][0] != '-')
		arg = state->argv[state->next++];
	if (callgraph_style_read(&o->callgraph, arg ? arg : "", &err))
		argp_error(state, "%s%s%s", err.text, *err.hint ? "; " : "", err.hint);
}

static void read_jobs(struct report_options *o, const char *arg, struct argp_state *state)
{
	o->nr_jobs = workers_parse(arg);
	if (!o->nr_jobs)
		argp_error(state, "cannot read with '%s' threads: give a number from 1 to 1024",
			   arg);
}

/* By which option the tree of threads is asked for; NULL: by none. */
static const char *tasks_name(const struct report_options *o)
{
	return o->mmaps ? "--mmaps" : o->tasks ? "--tasks" : NULL;
}

/* What is printed in place of rows: one of these. */
static void check_instead(const struct report_options *o, struct argp_state *state)
{
	const struct {
		bool is_given;
		const char *name;
	} instead[] = {
		{o->loss, "--loss"},
		{o->stats, "--stats"},
		{o->tasks, tasks_name(o)},
		{o->dump, "-D"},
		{o->header_only, "--header-only"},
		{o->explain, "--explain-symbols"},
	};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(instead) / sizeof(*instead); i++) {
		if (!instead[i].is_given)
			continue;
		if (first)
			argp_error(state, "cannot show %s and %s at once: give one of them", first,
				   instead[i].name);
		first = instead[i].name;
		if (o->json && !o->loss)
			argp_error(state, "cannot print %s as JSON: give one of them", first);
	}
	if (o->loss && (o->wants_graph || o->show_samples))
		argp_error(state, "cannot show --loss and %s at once: give one of them",
			   o->wants_graph ? "-g" : "-n");
}

/* What JSON cannot have beside it. */
static void check_json(const struct report_options *o, struct argp_state *state)
{
	if (o->json && (o->separator || o->nr_widths))
		argp_error(state, "cannot shape JSON by -t or -w: leave them out");
	if (o->json && (o->grouping == REPORT_GROUP_ALL || o->wants_member))
		argp_error(state, "cannot group events in JSON, which has each by itself: leave "
				  "--group and --group-sort-idx out");
	if (o->json && o->header)
		argp_error(state, "cannot print the header as JSON: leave --header out");
}

static void check_explain(const struct report_options *o, struct argp_state *state)
{
	if (o->explain && o->nr_inputs > 1)
		argp_error(state, "cannot explain the symbols of several captures: give one");
}

static void check_groups(const struct report_options *o, struct argp_state *state)
{
	if (o->grouping == REPORT_GROUP_ALL && o->nr_inputs > 1)
		argp_error(state, "cannot group the events of several captures: give one, or leave "
				  "--group out");
	if (o->grouping == REPORT_GROUP_NONE && o->wants_member)
		argp_error(state, "cannot sort by an event of a group without groups: leave "
				  "--no-group or --group-sort-idx out");
}

static void check_columns(const struct report_options *o, struct argp_state *state)
{
	if (o->hierarchy && o->fields)
		argp_error(state, "cannot nest rows (--hierarchy) in columns of --fields: give one "
				  "of them");
}

/* What prints something else than rows cannot leave all of it out. */
static void check_selection(const struct report_options *o, struct argp_state *state)
{
	const struct selection_text *t = &o->selection;
	const char *whole = o->loss ? "--loss" : o->header_only ? "--header-only" : tasks_name(o);

	if (!selection_text_is_some(t))
		return;
	if (whole)
		argp_error(state,
			   "cannot show %s of a part of the capture: leave it out, or what selects",
			   whole);
	if (o->dump)
		selection_check_dump(t, state);
	if (o->stats && (t->comms || t->dsos || t->symbols || t->symbol_part || t->is_known))
		argp_error(state,
			   "cannot count records by command, object or function: select by --time, "
			   "--cpu, --pid or --tid");
}

static void check_follow(const struct report_options *o, struct argp_state *state)
{
	const char *other = o->stats	     ? "--stats"
			    : o->tasks	     ? tasks_name(o)
			    : o->loss	     ? "--loss"
			    : o->dump	     ? "-D"
			    : o->header_only ? "--header-only"
					     : NULL;

	if (!o->follow)
		return;
	if (other)
		argp_error(state, "cannot follow with %s: only rows are followed", other);
	if (o->nr_inputs > 1)
		argp_error(state, "cannot follow several captures: give one");
	if (o->selection.time && time_ranges_are_shares(o->selection.time))
		argp_error(state, "cannot follow a share of the time: give START,STOP or --last");
}

static void read_percentage(struct report_options *o, const char *arg, struct argp_state *state)
{
	o->is_relative = !strcmp(arg, "relative");
	if (!o->is_relative && strcmp(arg, "absolute") != 0)
		argp_error(state, "cannot show percentages as '%s': give relative or absolute",
			   arg);
}

/* What an option without a value sets; NULL: it is none of these. */
static bool *flag_of(struct report_options *o, int key)
{
	switch (key) {
	case OPTION_EXPLAIN:
		return &o->explain;
	case OPTION_HIERARCHY:
		return &o->hierarchy;
	case OPTION_PERIOD:
		return &o->show_period;
	case OPTION_MODES:
		return &o->show_modes;
	case OPTION_NS:
		return &o->nanoseconds;
	case 'n':
		return &o->show_samples;
	case OPTION_NO_CHILDREN:
		return &o->no_children;
	case 'x':
		return &o->only_parents;
	case 'G':
		return &o->is_inverted;
	case OPTION_STATS:
		return &o->stats;
	case OPTION_TASKS:
		return &o->tasks;
	case OPTION_MMAPS:
		return &o->mmaps;
	case OPTION_RAW_TRACE:
		return &o->raw_trace;
	case OPTION_HEADER:
		return &o->header;
	case OPTION_HEADER_ONLY:
		return &o->header_only;
	case 'D':
		return &o->dump;
	case OPTION_LOSS:
		return &o->loss;
	case OPTION_JSON:
		return &o->json;
	case OPTION_FOLLOW:
		return &o->follow;
	case 'U':
		return &o->selection.is_known;
	case 'q':
		return &o->quiet;
	case 'v':
		return &o->verbose;
	default:
		return NULL;
	}
}

/* All are given: what follows of them, and whether they go together. */
static void settle(struct report_options *o, struct argp_state *state)
{
	if (o->is_inverted)
		o->callgraph.order = CALLGRAPH_CALLER;
	o->tasks |= o->mmaps;
	read_parent(o, o->parent, state);
	check_instead(o, state);
	check_json(o, state);
	check_explain(o, state);
	check_selection(o, state);
	check_follow(o, state);
	check_columns(o, state);
	check_groups(o, state);
}

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	const struct command_line *line = state->input;
	struct report_options *o = line->options;
	bool *flag = flag_of(o, key);

	if (flag) {
		*flag = true;
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		command_line_begin(state);
		break;
	case 'i':
		add_input(o, arg, state);
		break;
	case 's':
		o->sort = read_keys(arg, state);
		break;
	case OPTION_QUANTUM:
		read_quantum(o, arg, state);
		break;
	case 'F':
		o->fields = read_keys(arg, state);
		break;
	case 'w':
		read_widths(o, arg, state);
		break;
	case 't':
		read_separator(o, arg, state);
		break;
	case OPTION_LIMIT:
		read_limit(o, arg, state);
		break;
	case OPTION_IGNORE:
		read_ignored(o, arg, state);
		break;
	case OPTION_UNWIND:
		if (!unwind_read_way(arg, &o->unwind))
			argp_error(state, "cannot unwind by '%s': give table, libdw, both or no",
				   arg);
		break;
	case OPTION_INLINE:
	case OPTION_NO_INLINE:
		o->with_inlined = key == OPTION_INLINE;
		break;
	case OPTION_MAX_STACK:
		read_max_stack(o, arg, state);
		break;
	case OPTION_GROUP:
		o->grouping = REPORT_GROUP_ALL;
		break;
	case OPTION_NO_GROUP:
		o->grouping = REPORT_GROUP_NONE;
		break;
	case OPTION_GROUP_SORT:
		read_member(o, arg, state);
		break;
	case OPTION_CHILDREN:
		o->no_children = false;
		break;
	case 'g':
		read_graph(o, arg, state);
		break;
	case 'p':
		o->parent = arg;
		break;
	case OPTION_PERCENTAGE:
		read_percentage(o, arg, state);
		break;
	case OPTION_STDIO:
		break;
	case 'j':
		read_jobs(o, arg, state);
		break;
	case 'h':
		fputs(report_help, stdout);
		exit(0);
	case ARGP_KEY_END:
		settle(o, state);
		break;
	case ARGP_KEY_ARG:
		add_input(o, arg, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int report_options_read(struct report_options *options, int argc, char **argv)
{
	struct argp argp = {.options = option_table,
			    .parser = take_option,
			    .args_doc = "[CAPTURE...]",
			    .doc = "Reports where the samples of a capture were taken."};
	struct command_line line = {.name = "tstream report",
				    .options = options,
				    .selection = &options->selection,
				    .places = &options->places,
				    .mem_limit = &options->mem_limit};
	struct ts_perf_options perf;

	report_perf_options_init(&perf);
	*options =
		(struct report_options){.quantum_ns = QUANTUM_NS, .max_stack = REPORT_STACK_KERNEL};
	callgraph_style_init(&options->callgraph);
	return command_line_read(&line, &argp, &perf, argc, argv);
}

void report_options_release(struct report_options *options)
{
	if (options->has_parent_regex)
		regfree(&options->parent_regex);
	options->has_parent_regex = false;
	if (options->ignored)
		regfree(&options->ignored_regex);
	options->ignored = NULL;
}
