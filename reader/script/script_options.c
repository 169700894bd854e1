// SPDX-License-Identifier: Apache-2.0
#include "reader/script/script_options.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "reader/chunks/selection_options.h"
#include "reader/objects/symbol_place_options.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/memory_options.h"
#include "reader/samples/unwind_options.h"
#include "reader/script/cmd_script.h"
#include "reader/script/script_perf_options.h"

#define FRAMES_DEFAULT 127 /* kernel.perf_event_max_stack */
#define FRAMES_MAX     65535

#define TYPE(name) (1ull << PERF_RECORD_##name)

static int take_input(void *options, const char *arg, struct ts_error *err)
{
	struct script_options *o = options;

	if (o->input)
		return ts_error_set(err, EINVAL,
				    "cannot print two captures: give one (report joins them)");
	o->input = arg;
	return 0;
}

static int take_word(void *options, char **rest, struct ts_error *err)
{
	return take_input(options, *rest, err);
}

static int read_fields(void *options, const char *arg, struct ts_error *err)
{
	struct script_options *o = options;

	return script_fields_parse(&o->style, arg, err);
}

static int read_max_stack(void *options, const char *arg, struct ts_error *err)
{
	struct script_options *o = options;
	uint64_t n;

	if (ts_units_parse_u64(arg, &n) < 0 || n > FRAMES_MAX)
		return ts_error_set(err, EINVAL,
				    "cannot print '%s' frames: give a number from 0 to %d", arg,
				    FRAMES_MAX);
	o->max_stack = (unsigned int)n;
	return 0;
}

static int read_stop_at(void *options, const char *arg, struct ts_error *err)
{
	struct script_options *o = options;

	selection_words_release(&o->stop_at);
	return selection_words_read(&o->stop_at, arg, "functions", err);
}

static int set_time(struct script_options *o, enum script_time time, struct ts_error *err)
{
	if (o->time != SCRIPT_TIME_PLAIN && o->time != time)
		return ts_error_set(
			err, EINVAL,
			"cannot print --reltime and --deltatime at once: give one of them");
	o->time = time;
	return 0;
}

static int set_reltime(void *options, const char *arg, struct ts_error *err)
{
	(void)arg;
	return set_time(options, SCRIPT_TIME_REL, err);
}

static int set_deltatime(void *options, const char *arg, struct ts_error *err)
{
	(void)arg;
	return set_time(options, SCRIPT_TIME_DELTA, err);
}

static int settle_options(void *options, struct ts_error *err)
{
	struct script_options *o = options;
	const struct selection_text *t = &o->selection;
	int rc = selection_settle(&o->selection, err);

	if (!rc && o->dump)
		rc = selection_check_dump(t, err);
	if (rc)
		return rc;
	if (o->dump && o->header_only)
		return ts_error_set(err, EINVAL,
				    "cannot print -D and --header-only at once: give one of them");
	if (o->follow && (o->dump || o->header_only))
		return ts_error_set(err, EINVAL, "cannot follow with %s: only samples are followed",
				    o->dump ? "-D" : "--header-only");
	if (o->follow && o->time != SCRIPT_TIME_PLAIN)
		return ts_error_set(err, EINVAL,
				    "cannot follow with --reltime or --deltatime: leave them out");
	if (o->follow && t->time && time_ranges_are_shares(t->time))
		return ts_error_set(err, EINVAL,
				    "cannot follow a share of the time: give START,STOP or --last");
	if (o->shown_records && (t->dsos || t->symbols || t->symbol_part))
		return ts_error_set(err, EINVAL,
				    "cannot select records other than samples by object or "
				    "function: leave out either --show-... or the selection");
	return 0;
}

#define AT(field)   .at = offsetof(struct script_options, field)
#define BESIDE	    .is_beside = true
#define SHOW(types) .at = offsetof(struct script_options, shown_records), .sets = (types)

static const struct ts_option option_rows[] = {
	{TS_OPTION_READ, "fields", 'F', "LIST", "comm,tid,time or +addr,-period or trace:...",
	 .group = "Fields", .read = read_fields},
	{TS_OPTION_FLAG, "ns", .help = "times in nanoseconds", AT(with_ns)},
	{TS_OPTION_READ, "reltime", .help = "since the first", BESIDE, .read = set_reltime},
	{TS_OPTION_READ, "deltatime", .help = "since the last", BESIDE, .read = set_deltatime},
	{TS_OPTION_FLAG, "hide-call-graph", 'G', NULL, "no call chains", AT(hide_chains)},
	{TS_OPTION_READ, "max-stack", 0, "N", "at most N frames (127)", BESIDE,
	 .read = read_max_stack},
	{TS_OPTION_READ, "stop-bt", 0, "LIST", "end call chains after these functions",
	 .read = read_stop_at},
	{TS_OPTION_PART, .part = unwind_rows, AT(unwind)},
	{TS_OPTION_FLAG, "inline", .help = "inlined functions in call chains, from DWARF",
	 AT(with_inlined)},
	{TS_OPTION_NO_FLAG, "no-inline", .is_hidden = true, AT(with_inlined)}, /* the default */
	{TS_OPTION_FLAG, "Latency", 'L', NULL, "narrow columns for command and CPU",
	 AT(is_latency)},

	{TS_OPTION_PART, .part = symbol_place_rows, AT(places)},

	{TS_OPTION_BITS, "show-task-events", .group = "Also",
	 SHOW(TYPE(COMM) | TYPE(FORK) | TYPE(EXIT))},
	{TS_OPTION_BITS, "show-mmap-events", BESIDE, SHOW(TYPE(MMAP) | TYPE(MMAP2))},
	{TS_OPTION_BITS, "show-switch-events", BESIDE, SHOW(TYPE(SWITCH) | TYPE(SWITCH_CPU_WIDE))},
	{TS_OPTION_BITS, "show-namespace-events", SHOW(TYPE(NAMESPACES))},
	{TS_OPTION_BITS, "show-cgroup-events", BESIDE, SHOW(TYPE(CGROUP))},
	{TS_OPTION_BITS, "show-lost-events", BESIDE, SHOW(TYPE(LOST))},
	{TS_OPTION_BITS, "show-bpf-events", .help = "print these records, too",
	 SHOW(TYPE(KSYMBOL) | TYPE(BPF_EVENT))},
	{TS_OPTION_FLAG, "header", .help = "the header first", AT(header)},
	{TS_OPTION_ALIAS, .name = "show-info", .letter = 'I'},

	{TS_OPTION_PART, .part = selection_rows, AT(selection)},

	{TS_OPTION_FLAG, "header-only", .help = "the header", .group = "Instead", AT(header_only)},
	{TS_OPTION_FLAG, "dump-raw-trace", 'D', NULL, "each record as it is", AT(dump)},

	{TS_OPTION_READ, "input", 'i', "FILE", "a directory or file (tstream.data, else perf.data)",
	 .group = "How", .read = take_input},
	{TS_OPTION_FLAG, "follow", .help = "go on until the recording ends", AT(follow)},
	{TS_OPTION_NOTHING, "all-cpus", 'a', NULL, .is_hidden = true}, /* the default without -C */
	{TS_OPTION_PART, .part = memory_rows, AT(mem_limit)},
	{TS_OPTION_FLAG, "quiet", 'q', NULL, "no notes", AT(quiet)},
	{TS_OPTION_FLAG, "verbose", 'v', NULL, "say how much was read", BESIDE, AT(verbose)},
	{TS_OPTION_PART, .part = script_perf_rows},
	{0},
};

const struct ts_command cmd_script_line = {
	.name = "script",
	.words = "[CAPTURE]",
	.summary = "print every sample in the order of time",
	.purpose = "Prints every sample of a capture in the order of time.",
	.rows = option_rows,
	.more = "Options of perf script that are missing here are refused with a hint. See\n"
		"'man tstream-script'.",
	.take_word = take_word,
	.settle = settle_options,
};

void script_options_init(struct script_options *options)
{
	*options = (struct script_options){.max_stack = FRAMES_DEFAULT,
					   .mem_limit = MEMORY_LIMIT_DEFAULT};
	script_fields_init(&options->style);
}

void script_options_release(struct script_options *options)
{
	symbol_places_release(&options->places);
	selection_text_release(&options->selection);
	selection_words_release(&options->stop_at);
}
