// SPDX-License-Identifier: Apache-2.0
#include "reader/script/script_options.h"

#include <argp.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "reader/chunks/selection_options.h"
#include "reader/commands/command_line.h"
#include "reader/script/script_perf_options.h"

#define FRAMES_DEFAULT 127 /* kernel.perf_event_max_stack */
#define FRAMES_MAX     65535

enum { /* options without a letter */
       OPTION_NS = 256,
       OPTION_RELTIME,
       OPTION_DELTATIME,
       OPTION_MAX_STACK,
       OPTION_UNWIND,
       OPTION_INLINE,
       OPTION_NO_INLINE,
       OPTION_STOP_BT,
       OPTION_HEADER,
       OPTION_HEADER_ONLY,
       OPTION_SHOW_TASK,
       OPTION_SHOW_MMAP,
       OPTION_SHOW_SWITCH,
       OPTION_SHOW_NAMESPACE,
       OPTION_SHOW_CGROUP,
       OPTION_SHOW_LOST,
       OPTION_SHOW_BPF,
       OPTION_FOLLOW,
};

static const struct argp_option option_table[] = {
	{"input", 'i', "FILE", 0, NULL, 0},
	{"fields", 'F', "LIST", 0, NULL, 0},
	{"ns", OPTION_NS, NULL, 0, NULL, 0},
	{"reltime", OPTION_RELTIME, NULL, 0, NULL, 0},
	{"deltatime", OPTION_DELTATIME, NULL, 0, NULL, 0},
	{"hide-call-graph", 'G', NULL, 0, NULL, 0},
	{"max-stack", OPTION_MAX_STACK, "N", 0, NULL, 0},
	{"stop-bt", OPTION_STOP_BT, "LIST", 0, NULL, 0},
	{"unwind", OPTION_UNWIND, "WAY", 0, NULL, 0},
	{"inline", OPTION_INLINE, NULL, 0, NULL, 0},
	{"no-inline", OPTION_NO_INLINE, NULL, OPTION_HIDDEN, NULL, 0}, /* the default */
	{"Latency", 'L', NULL, 0, NULL, 0},
	{"dump-raw-trace", 'D', NULL, 0, NULL, 0},
	{"header", OPTION_HEADER, NULL, 0, NULL, 0},
	{"show-info", 'I', NULL, OPTION_ALIAS, NULL, 0},
	{"header-only", OPTION_HEADER_ONLY, NULL, 0, NULL, 0},
	{"show-task-events", OPTION_SHOW_TASK, NULL, 0, NULL, 0},
	{"show-mmap-events", OPTION_SHOW_MMAP, NULL, OPTION_HIDDEN, NULL, 0},
	{"show-switch-events", OPTION_SHOW_SWITCH, NULL, OPTION_HIDDEN, NULL, 0},
	{"show-namespace-events", OPTION_SHOW_NAMESPACE, NULL, OPTION_HIDDEN, NULL, 0},
	{"show-cgroup-events", OPTION_SHOW_CGROUP, NULL, OPTION_HIDDEN, NULL, 0},
	{"show-lost-events", OPTION_SHOW_LOST, NULL, OPTION_HIDDEN, NULL, 0},
	{"show-bpf-events", OPTION_SHOW_BPF, NULL, OPTION_HIDDEN, NULL, 0},
	{"follow", OPTION_FOLLOW, NULL, 0, NULL, 0},
	{"quiet", 'q', NULL, 0, NULL, 0},
	{"verbose", 'v', NULL, 0, NULL, 0},
	{"all-cpus", 'a', NULL, OPTION_HIDDEN, NULL, 0}, /* what is printed without -C */
	{"help", 'h', NULL, 0, NULL, 0},		 /* before argp's, too long for a screen */
	{NULL, '?', NULL, OPTION_ALIAS, NULL, 0},
	{0},
};

#define TYPE(name) (1ull << PERF_RECORD_##name)

static const struct {
	int key;
	uint64_t types;
} shown[] = {
	{OPTION_SHOW_TASK, TYPE(COMM) | TYPE(FORK) | TYPE(EXIT)},
	{OPTION_SHOW_MMAP, TYPE(MMAP) | TYPE(MMAP2)},
	{OPTION_SHOW_SWITCH, TYPE(SWITCH) | TYPE(SWITCH_CPU_WIDE)},
	{OPTION_SHOW_NAMESPACE, TYPE(NAMESPACES)},
	{OPTION_SHOW_CGROUP, TYPE(CGROUP)},
	{OPTION_SHOW_LOST, TYPE(LOST)},
	{OPTION_SHOW_BPF, TYPE(KSYMBOL) | TYPE(BPF_EVENT)},
};

static bool take_shown(struct script_options *o, int key)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (shown[i].key == key) {
			o->shown_records |= shown[i].types;
			return true;
		}
	return false;
}

static void read_fields(struct script_options *o, const char *arg, struct argp_state *state)
{
	struct ts_error err;

	if (!script_fields_parse(&o->style, arg, &err))
		return;
	argp_error(state, "%s%s%s", err.text, err.hint[0] ? "; " : "", err.hint);
}

static void read_max_stack(struct script_options *o, const char *arg, struct argp_state *state)
{
	uint64_t n;

	if (ts_parse_u64(arg, &n) < 0 || n > FRAMES_MAX)
		argp_error(state, "cannot print '%s' frames: give a number from 0 to %d", arg,
			   FRAMES_MAX);
	else
		o->max_stack = (unsigned int)n;
}

/* One block of memory: pointers, then the names they point to. */
static void read_stop_at(struct script_options *o, const char *arg, struct argp_state *state)
{
	size_t nr = strlen(arg) / 2 + 2, i = 0;
	char *rest = NULL, *copy;

	script_options_release(o);
	o->stop_at = calloc(1, nr * sizeof(*o->stop_at) + strlen(arg) + 1);
	if (!o->stop_at) {
		argp_failure(state, 1, ENOMEM, "cannot read --stop-bt");
		return;
	}
	copy = strcpy((char *)(o->stop_at + nr), arg);
	for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		o->stop_at[i++] = name;
}

static void read_time(struct script_options *o, enum script_time time, struct argp_state *state)
{
	if (o->time != SCRIPT_TIME_PLAIN && o->time != time)
		argp_error(state, "cannot print --reltime and --deltatime at once: give one of "
				  "them");
	o->time = time;
}

static void check(const struct script_options *o, struct argp_state *state)
{
	const struct selection_text *t = &o->selection;

	if (o->dump)
		selection_check_dump(t, state);
	if (o->dump && o->header_only)
		argp_error(state, "cannot print -D and --header-only at once: give one of them");
	if (o->follow && (o->dump || o->header_only))
		argp_error(state, "cannot follow with %s: only samples are followed",
			   o->dump ? "-D" : "--header-only");
	if (o->follow && o->time != SCRIPT_TIME_PLAIN)
		argp_error(state, "cannot follow with --reltime or --deltatime: leave them out");
	if (o->follow && t->time && time_ranges_are_shares(t->time))
		argp_error(state, "cannot follow a share of the time: give START,STOP or --last");
	if (o->shown_records && (t->dsos || t->symbols || t->symbol_part))
		argp_error(state,
			   "cannot select records that are no samples by object or function: "
			   "leave --show-... out, or what selects");
}

/* What an option without a value sets; NULL: it is none of these. */
static bool *flag_of(struct script_options *o, int key)
{
	switch (key) {
	case OPTION_NS:
		return &o->with_ns;
	case 'G':
		return &o->hide_chains;
	case 'L':
		return &o->is_latency;
	case 'D':
		return &o->dump;
	case 'I':
	case OPTION_HEADER:
		return &o->header;
	case OPTION_HEADER_ONLY:
		return &o->header_only;
	case OPTION_FOLLOW:
		return &o->follow;
	case 'q':
		return &o->quiet;
	case 'v':
		return &o->verbose;
	default:
		return NULL;
	}
}

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	const struct command_line *line = state->input;
	struct script_options *o = line->options;
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
		if (o->input)
			argp_error(state,
				   "cannot print two captures: give one (report joins them)");
		o->input = arg;
		break;
	case 'F':
		read_fields(o, arg, state);
		break;
	case OPTION_RELTIME:
		read_time(o, SCRIPT_TIME_REL, state);
		break;
	case OPTION_DELTATIME:
		read_time(o, SCRIPT_TIME_DELTA, state);
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
	case OPTION_STOP_BT:
		read_stop_at(o, arg, state);
		break;
	case 'a':
		break;
	case 'h':
		fputs(script_help, stdout);
		exit(0);
	case ARGP_KEY_END:
		check(o, state);
		break;
	case ARGP_KEY_ARG:
		argp_error(state,
			   "cannot use '%s': script takes no arguments, -i FILE names the capture",
			   arg);
		break;
	default:
		return take_shown(o, key) ? 0 : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int script_options_read(struct script_options *options, int argc, char **argv)
{
	struct argp argp = {.options = option_table,
			    .parser = take_option,
			    .doc = "Prints every sample of a capture in the order of time."};
	struct command_line line = {.name = "tstream script",
				    .options = options,
				    .selection = &options->selection,
				    .places = &options->places,
				    .mem_limit = &options->mem_limit};
	struct ts_perf_options perf;

	script_perf_options_init(&perf);
	*options = (struct script_options){.max_stack = FRAMES_DEFAULT};
	script_fields_init(&options->style);
	return command_line_read(&line, &argp, &perf, argc, argv);
}

void script_options_release(struct script_options *options)
{
	free(options->stop_at);
	options->stop_at = NULL;
}
