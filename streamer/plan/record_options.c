// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "streamer/plan/record_options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/events/event_branch.h"
#include "streamer/events/event_regs.h"
#include "streamer/plan/option_conflicts.h"
#include "streamer/plan/record_perf_options.h"
#include "streamer/plan/record_values.h"

#define FLUSH_DEFAULT_NS	(1 * TS_NS_PER_SEC)
#define MIN_INTERVAL_DEFAULT_NS (1 * TS_NS_PER_SEC)

enum { /* options without a letter */
       KEY_AFFINITY = 0x100,
       KEY_AFTER,
       KEY_ARCHIVE,
       KEY_BEFORE,
       KEY_AIO,
       KEY_ALL_CGROUPS,
       KEY_ALL_KERNEL,
       KEY_ALL_USER,
       KEY_ALWAYS,
       KEY_CALL_GRAPH,
       KEY_CODE_PAGE_SIZE,
       KEY_CONTROL,
       KEY_DAEMON,
       KEY_DATA_PAGE_SIZE,
       KEY_DEAD_MAN,
       KEY_DRY_RUN,
       KEY_EXCLUDE_SELF,
       KEY_FILTER,
       KEY_FLUSH,
       KEY_HELP,
       KEY_IO,
       KEY_KEEP_BYTES,
       KEY_KERNEL_CHAINS,
       KEY_MAX_SIZE,
       KEY_MIN_FREE,
       KEY_MIN_INTERVAL,
       KEY_ON_SNAPSHOT,
       KEY_OVERWRITE,
       KEY_PHYS_DATA,
       KEY_PROC_MAP_TIMEOUT,
       KEY_SOCKET,
       KEY_STRICT_FREQ,
       KEY_SWITCH_EVENTS,
       KEY_SWITCH_MAX_FILES,
       KEY_SWITCH_OUTPUT,
       KEY_SWITCH_OUTPUT_EVENT,
       KEY_SYNC,
       KEY_THREADS,
       KEY_TIMESTAMP_FILENAME,
       KEY_TRANSACTION,
       KEY_TRIGGER,
       KEY_USER_CHAINS,
       KEY_USER_REGS,
};

static const struct argp_option option_table[] = {
	{"all-cpus", 'a', NULL, 0, NULL, 0},
	{"cpu", 'C', "LIST", 0, NULL, 0},
	{"pid", 'p', "PIDS", 0, NULL, 0},
	{"tid", 't', "TIDS", 0, NULL, 0},
	{"uid", 'u', "USER", 0, NULL, 0},
	{"event", 'e', "EVENTS", 0, NULL, 0},
	{"cgroup", 'G', "NAMES", 0, NULL, 0},
	{"filter", KEY_FILTER, "FILTER", 0, NULL, 0},
	{"exclude-self", KEY_EXCLUDE_SELF, NULL, 0, NULL, 0},
	{"exclude-perf", KEY_EXCLUDE_SELF, NULL, 0, NULL, 0},
	{"freq", 'F', "HZ", 0, NULL, 0},
	{"strict-freq", KEY_STRICT_FREQ, NULL, 0, NULL, 0},
	{"count", 'c', "N", 0, NULL, 0},
	{NULL, 'g', NULL, 0, NULL, 0},
	{"call-graph", KEY_CALL_GRAPH, "MODE", 0, NULL, 0},
	{"kernel-callchains", KEY_KERNEL_CHAINS, NULL, 0, NULL, 0},
	{"user-callchains", KEY_USER_CHAINS, NULL, 0, NULL, 0},
	{"data", 'd', NULL, 0, NULL, 0},
	{"phys-data", KEY_PHYS_DATA, NULL, 0, NULL, 0},
	{"data-page-size", KEY_DATA_PAGE_SIZE, NULL, 0, NULL, 0},
	{"code-page-size", KEY_CODE_PAGE_SIZE, NULL, 0, NULL, 0},
	{"weight", 'W', NULL, 0, NULL, 0},
	{"transaction", KEY_TRANSACTION, NULL, 0, NULL, 0},
	{"intr-regs", 'I', "REGS", OPTION_ARG_OPTIONAL, NULL, 0},
	{"user-regs", KEY_USER_REGS, "REGS", OPTION_ARG_OPTIONAL, NULL, 0},
	{"branch-any", 'b', NULL, 0, NULL, 0},
	{"branch-filter", 'j', "FILTERS", 0, NULL, 0},
	{"all-cgroups", KEY_ALL_CGROUPS, NULL, 0, NULL, 0},
	{"switch-events", KEY_SWITCH_EVENTS, NULL, 0, NULL, 0},
	{"stat", 's', NULL, 0, NULL, 0},
	{"no-samples", 'n', NULL, 0, NULL, 0},
	{"timestamp", 'T', NULL, 0, NULL, 0},
	{"period", 'P', NULL, 0, NULL, 0},
	{"sample-cpu", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"sample-identifier", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"buildid-all", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"buildid-mmap", KEY_ALWAYS, NULL, 0, NULL, 0},
	{"no-buildid-cache", 'N', NULL, 0, NULL, 0},
	{"no-inherit", 'i', NULL, 0, NULL, 0},
	{"all-user", KEY_ALL_USER, NULL, 0, NULL, 0},
	{"all-kernel", KEY_ALL_KERNEL, NULL, 0, NULL, 0},
	{"raw-samples", 'R', NULL, 0, NULL, 0},
	{"clockid", 'k', "CLOCK", 0, NULL, 0},
	{"delay", 'D', "MS", 0, NULL, 0},
	{"proc-map-timeout", KEY_PROC_MAP_TIMEOUT, "MS", 0, NULL, 0},
	{"control", KEY_CONTROL, "SPEC", 0, NULL, 0},
	{"daemon", KEY_DAEMON, NULL, 0, NULL, 0},
	{"socket", KEY_SOCKET, "PATH", 0, NULL, 0},
	{"dead-man", KEY_DEAD_MAN, "TIME", 0, NULL, 0},
	{"threads", KEY_THREADS, "SPEC", OPTION_ARG_OPTIONAL, NULL, 0},
	{"mmap-pages", 'm', "SIZE", 0, NULL, 0},
	{NULL, 'z', "LEVEL", OPTION_ARG_OPTIONAL, NULL, 0},
	{"compression-level", 'z', "LEVEL", OPTION_ARG_OPTIONAL, NULL, 0},
	{"flush", KEY_FLUSH, "TIME", 0, NULL, 0},
	{"sync", KEY_SYNC, "TIME", 0, NULL, 0},
	{"io", KEY_IO, "HOW", 0, NULL, 0},
	{"realtime", 'r', "PRIO", 0, NULL, 0},
	{"output", 'o', "DIR", 0, NULL, 0},
	{"max-size", KEY_MAX_SIZE, "SIZE", 0, NULL, 0},
	{"min-free", KEY_MIN_FREE, "SIZE", 0, NULL, 0},
	{"overwrite", KEY_OVERWRITE, NULL, 0, NULL, 0},
	{"memory", 'M', "SIZE|TIME", 0, NULL, 0},
	{"switch-output", KEY_SWITCH_OUTPUT, "WHEN", OPTION_ARG_OPTIONAL, NULL, 0},
	{"switch-output-event", KEY_SWITCH_OUTPUT_EVENT, "EVENT", 0, NULL, 0},
	{"trigger", KEY_TRIGGER, "WHAT", 0, NULL, 0},
	{"min-interval", KEY_MIN_INTERVAL, "TIME", 0, NULL, 0},
	{"after", KEY_AFTER, "TIME", 0, NULL, 0},
	{"before", KEY_BEFORE, "TIME", 0, NULL, 0},
	{"switch-max-files", KEY_SWITCH_MAX_FILES, "N", 0, NULL, 0},
	{"keep-bytes", KEY_KEEP_BYTES, "SIZE", 0, NULL, 0},
	{"on-snapshot", KEY_ON_SNAPSHOT, "CMD", 0, NULL, 0},
	{"archive", KEY_ARCHIVE, NULL, 0, NULL, 0},
	{"timestamp-filename", KEY_TIMESTAMP_FILENAME, NULL, 0, NULL, 0},
	{"quiet", 'q', NULL, 0, NULL, 0},
	{"verbose", 'v', NULL, 0, NULL, 0},
	{"dry-run", KEY_DRY_RUN, NULL, 0, NULL, 0},
	{"aio", KEY_AIO, "N", OPTION_ARG_OPTIONAL, NULL, 0},
	{"affinity", KEY_AFFINITY, "MODE", 0, NULL, 0},
	{"help", KEY_HELP, NULL, 0, NULL, 0},
	{"usage", 'h', NULL, 0, NULL, 0},
	{NULL, '?', NULL, 0, NULL, 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct reading { /* what the callback works on */
	struct record_options *options;
	struct ts_error *err;
	bool all_cpus;
	bool filters_trigger; /* --filter is for --switch-output-event, which came last */
	struct ts_perf_options_input perf;
};

static void read_command(struct record_options *o, struct argp_state *state)
{
	o->command = state->argv + state->next - 1;
	o->before_command = o->command[-1];
	state->next = state->argc;
}

/* Options that choose whom to record, and what. -ENOENT: not one of these. */
static int read_what(struct reading *r, int key, char *arg)
{
	struct record_options *o = r->options;

	switch (key) {
	case 'a':
		r->all_cpus = o->has_target = true;
		return 0;
	case 'C':
		o->has_target = true;
		return target_set_cpus(&o->target, arg, r->err);
	case 'p':
		return record_value_tasks(o, TARGET_PIDS, arg, r->err);
	case 't':
		return record_value_tasks(o, TARGET_TIDS, arg, r->err);
	case 'u':
		return record_value_user(o, arg, r->err);
	case 'e':
		r->filters_trigger = false;
		return record_value_events(o, arg, r->err);
	case 'G':
		return event_set_cgroups(&o->events, arg, r->err);
	case KEY_FILTER:
		return event_set_filter(r->filters_trigger ? &o->triggers.events : &o->events, arg,
					r->err);
	case KEY_EXCLUDE_SELF:
		o->exclude_self = true;
		return 0;
	case 'F':
		return record_value_freq(o, arg, r->err);
	case KEY_STRICT_FREQ:
		o->event.strict_freq = true;
		return 0;
	case 'c':
		return record_value_number("--count", arg, 1, INT64_MAX, &o->event.period, r->err);
	case 'g':
		o->event.callgraph = EVENT_CALLGRAPH_FP;
		return 0;
	case KEY_CALL_GRAPH:
		return event_parse_callgraph(arg, &o->event.callgraph, &o->event.stack_bytes,
					     r->err);
	case 'T': /* every record has these, and no cache is ever written */
	case 'P':
	case 'N':
	case KEY_ALWAYS:
		return 0;
	case 'i':
		o->event.inherit = false;
		return 0;
	case KEY_ALL_USER:
	case KEY_ALL_KERNEL:
		o->event.all_user = key == KEY_ALL_USER;
		o->event.all_kernel = key == KEY_ALL_KERNEL;
		return 0;
	case 'k':
		return record_value_clock(o, arg, r->err);
	default:
		return -ENOENT;
	}
}

/* What a sample has beside what each has. */
static uint64_t sample_bits_of(int key)
{
	switch (key) {
	case 'd':
		return PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	case 'R':
		return PERF_SAMPLE_RAW;
	case 'W':
		return EVENT_SAMPLE_WEIGHT;
	case KEY_PHYS_DATA:
		return PERF_SAMPLE_PHYS_ADDR;
	case KEY_DATA_PAGE_SIZE:
		return PERF_SAMPLE_DATA_PAGE_SIZE;
	case KEY_CODE_PAGE_SIZE:
		return PERF_SAMPLE_CODE_PAGE_SIZE;
	case KEY_TRANSACTION:
		return PERF_SAMPLE_TRANSACTION;
	case KEY_ALL_CGROUPS:
		return PERF_SAMPLE_CGROUP;
	default:
		return 0;
	}
}

/* Options that choose what is in a record. -ENOENT: not one of these. */
static int read_content(struct event_options *e, int key, const char *arg, struct ts_error *err)
{
	e->sample_bits |= sample_bits_of(key);
	switch (key) {
	case 'I':
		return event_parse_regs("--intr-regs", arg, &e->intr_regs, err);
	case KEY_USER_REGS:
		return event_parse_regs("--user-regs", arg, &e->user_regs, err);
	case 'b':
	case 'j':
		if (e->branches)
			return ts_error_set(err, EINVAL,
					    "cannot use -b or -j twice: one says which branches");
		return event_parse_branch(arg, &e->branches, err);
	case KEY_SWITCH_EVENTS:
		e->switch_events = true;
		return 0;
	case KEY_KERNEL_CHAINS:
		e->kernel_callchains = true;
		return 0;
	case KEY_USER_CHAINS:
		e->user_callchains = true;
		return 0;
	case 's':
		e->thread_counts = true;
		return 0;
	case KEY_OVERWRITE:
		e->overwrite = true;
		return 0;
	case 'n':
		e->no_samples = true;
		return 0;
	default:
		return sample_bits_of(key) ? 0 : -ENOENT;
	}
}

/* Options that choose how much is kept, in how many directories. -ENOENT: not one of these. */
static int read_keeping(struct reading *r, int key, char *arg)
{
	struct record_options *o = r->options;

	switch (key) {
	case KEY_MAX_SIZE:
		return record_value_max_size(o, arg, r->err);
	case KEY_MIN_FREE:
		return record_value_min_free(o, arg, r->err);
	case 'M':
		return record_value_memory(o, arg, r->err);
	case KEY_SWITCH_OUTPUT:
		return record_value_switch(o, arg, r->err);
	case KEY_SWITCH_OUTPUT_EVENT:
		r->filters_trigger = true;
		return trigger_add_events(&o->triggers, arg, r->err);
	case KEY_TRIGGER:
		r->filters_trigger |= trigger_is_event(arg);
		return trigger_add(&o->triggers, arg, r->err);
	case KEY_MIN_INTERVAL:
		return record_value_time("--min-interval", arg, &o->triggers.min_interval_ns,
					 r->err);
	case KEY_BEFORE:
		return record_value_time("--before", arg, &o->memory.before_ns, r->err);
	case KEY_AFTER:
		return record_value_time("--after", arg, &o->triggers.after_ns, r->err);
	case KEY_SWITCH_MAX_FILES:
		return record_value_number("--switch-max-files", arg, 1, INT32_MAX,
					   &o->switch_max_files, r->err);
	case KEY_KEEP_BYTES:
		return record_value_keep_bytes(o, arg, r->err);
	case KEY_ARCHIVE:
		o->archives = true;
		return 0;
	case KEY_ON_SNAPSHOT:
		o->on_snapshot = arg;
		return 0;
	case KEY_TIMESTAMP_FILENAME:
		o->timestamp_filename = true;
		return 0;
	default:
		return -ENOENT;
	}
}

/* Options that choose how. -ENOENT: not one of these. */
static int read_how(struct reading *r, int key, char *arg)
{
	struct record_options *o = r->options;

	switch (key) {
	case 'D':
		return record_value_delay(o, arg, r->err);
	case KEY_PROC_MAP_TIMEOUT:
		return record_value_number("--proc-map-timeout", arg, 1, UINT32_MAX,
					   &o->map_limit_ms, r->err);
	case KEY_CONTROL:
		return record_value_control(o, arg, r->err);
	case KEY_DAEMON:
		o->is_daemon = true;
		return 0;
	case KEY_SOCKET:
		o->socket = arg;
		return *arg ? 0
			    : ts_error_set(r->err, EINVAL, "cannot use --socket '': it is empty");
	case KEY_DEAD_MAN:
		return record_value_span("--dead-man", arg, &o->dead_man_ns, r->err);
	case KEY_THREADS:
		o->threads = arg ? arg : "";
		return 0;
	case 'm':
		return record_value_pages(o, arg, r->err);
	case 'z':
		return record_value_level(o, arg, r->err);
	case KEY_FLUSH:
		return record_value_time("--flush", arg, &o->flush_ns, r->err);
	case KEY_SYNC:
		return record_value_time("--sync", arg, &o->sync_ns, r->err);
	case KEY_IO:
		return record_value_io(o, arg, r->err);
	case 'r':
		return record_value_realtime(o, arg, r->err);
	case 'o':
		return record_value_output(o, arg, r->err);
	case 'q':
		o->level = TS_LOG_QUIET;
		return 0;
	case 'v':
		o->level = o->level < TS_LOG_VERBOSE ? TS_LOG_VERBOSE : TS_LOG_DEBUG;
		return 0;
	case KEY_DRY_RUN:
		o->dry_run = true;
		return 0;
	case KEY_AIO:
		return record_value_aio(o, arg, r->err);
	case KEY_AFFINITY:
		return record_value_affinity(o, arg, r->err);
	default:
		return -ENOENT;
	}
}

static error_t read_option(int key, char *arg, struct argp_state *state)
{
	struct reading *r = state->input;
	int code;

	switch (key) {
	case 'h':
	case '?':
	case KEY_HELP:
		r->options->help = true;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->perf;
		return 0;
	case ARGP_KEY_ARG:
		read_command(r->options, state);
		return 0;
	default:
		break;
	}
	code = read_what(r, key, arg);
	if (code == -ENOENT && !r->err->code)
		code = read_content(&r->options->event, key, arg, r->err);
	if (code == -ENOENT && !r->err->code)
		code = read_keeping(r, key, arg);
	if (code == -ENOENT && !r->err->code)
		code = read_how(r, key, arg);
	if (code == -ENOENT && !r->err->code)
		return ARGP_ERR_UNKNOWN;
	return code < 0 ? EINVAL : 0;
}

int record_options_read(struct record_options *options, int argc, char **argv, struct ts_error *err)
{
	struct ts_perf_options perf;
	struct argp argp = {
		.options = option_table, .parser = read_option, .children = perf.children};
	struct reading reading = {.options = options,
				  .err = err,
				  .perf = {.options = &perf, .notes = &options->notes, .err = err}};

	memset(options, 0, sizeof(*options));
	memset(err, 0, sizeof(*err));
	options->flush_ns = FLUSH_DEFAULT_NS;
	options->triggers.min_interval_ns = MIN_INTERVAL_DEFAULT_NS;
	options->output = RECORD_OUTPUT;
	options->target.kind = TARGET_SYSTEM;
	options->event.inherit = true;
	record_perf_options_init(&perf);
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP | ARGP_NO_EXIT, NULL,
		       &reading) != 0)
		return -EINVAL;
	return options->help ? 0 : record_options_settle(options, reading.all_cpus, err);
}

void record_options_explain_command(const struct record_options *options, struct ts_error *err)
{
	static const struct {
		const char *option, *with_value;
	} rows[] = {
		{"--threads", "--threads="},
		{"--aio", "--aio="},
		{"-g", "--call-graph "},
		{"-z", "-z"},
		{"--compression-level", "--compression-level="},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(options->before_command, rows[i].option))
			ts_error_hint(err, "if it was meant for %s, write %s%s", rows[i].option,
				      rows[i].with_value, options->command[0]);
}

void record_options_release(struct record_options *options)
{
	target_release(&options->target);
	event_list_release(&options->events);
	event_list_release(&options->triggers.events);
	ts_notes_release(&options->notes);
}
