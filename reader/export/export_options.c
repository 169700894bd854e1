// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/export/export_options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "reader/chunks/selection_options.h"
#include "reader/objects/symbol_place_options.h"
#include "reader/runtime/memory_options.h"
#include "reader/runtime/workers.h"
#include "reader/samples/unwind_options.h"

static int read_format(void *options, const char *arg, struct ts_error *err)
{
	struct export_options *o = options;

	o->format = export_format_find(arg, err);
	return o->format ? 0 : -EINVAL;
}

static int read_weight(void *options, const char *arg, struct ts_error *err)
{
	struct export_options *o = options;

	o->weight = !strcmp(arg, "period") ? EXPORT_PERIOD : EXPORT_SAMPLES;
	if (o->weight != EXPORT_PERIOD && strcmp(arg, "samples") != 0)
		return ts_error_set(err, EINVAL,
				    "cannot weigh stacks by '%s': give samples or period", arg);
	return 0;
}

static int read_timeline(void *options, const char *arg, struct ts_error *err)
{
	struct export_options *o = options;

	o->timeline = !strcmp(arg, "cpu") ? EXPORT_BY_CPU : EXPORT_BY_THREAD;
	if (o->timeline != EXPORT_BY_CPU && strcmp(arg, "thread") != 0)
		return ts_error_set(err, EINVAL,
				    "cannot make a timeline by '%s': give thread or cpu", arg);
	return 0;
}

_Static_assert(!offsetof(struct export_options, report), "readers of report's options get it");

#ifdef ZLIB_LACKS
#define ZLIB_NOTE " (these three are not in this build: it lacks " ZLIB_LACKS ")"
#else
#define ZLIB_NOTE ""
#endif
#ifdef PROTOBUF_LACKS
#define PPROF_NOTE    " (not in this build: it lacks " PROTOBUF_LACKS ")"
#define PROTOBUF_NOTE " (both are not in this build, either)"
#elif defined(ZLIB_LACKS)
#define PPROF_NOTE    " (not in this build: it lacks " ZLIB_LACKS ")"
#define PROTOBUF_NOTE ""
#else
#define PPROF_NOTE    ""
#define PROTOBUF_NOTE ""
#endif

#define AT(field) .at = offsetof(struct export_options, field)
#define BESIDE	  .is_beside = true

const struct ts_option export_options_rows[] = {
	{TS_OPTION_READ, "format", 0, "FORMAT",
	 "folded (flamegraph.pl), parquet, perf.data, firefox, speedscope, chrome" ZLIB_NOTE
	 ", pprof" PPROF_NOTE ", perfetto, otlp-development" PROTOBUF_NOTE,
	 .group = "Result", .read = read_format},
	{TS_OPTION_TEXT, "output", 'o', "FILE", "(CAPTURE.folded ...); -: standard output",
	 AT(output)},
	{TS_OPTION_FLAG, "force", 'f', NULL, "replace any file of this user", AT(is_forced)},
	{TS_OPTION_TEXT, "event", 'e', "EVENT", "(the first that has samples; parquet: all)",
	 .group = "Stacks", AT(event)},
	{TS_OPTION_READ, "weight", 0, "WEIGHT",
	 "samples or period; pprof has both: the one shown first", .read = read_weight},
	{TS_OPTION_READ, "timeline", 0, "TRACKS", "chrome: a track for each thread, or cpu",
	 .read = read_timeline},
	{TS_OPTION_FLAG, "annotate",
	 .help = "folded: mark kernel _[k], inlined _[i] and JIT code _[j]", AT(is_annotated)},
	{TS_OPTION_READ, "max-stack", 0, "N", "frames", .read = report_options_read_max_stack},
	{TS_OPTION_PART, .part = unwind_rows, AT(report.unwind)},
	{TS_OPTION_FLAG, "inline", .help = "inlined functions are frames, too (DWARF)",
	 AT(report.with_inlined)},
	{TS_OPTION_PART, .part = symbol_place_rows, AT(report.places)},
	{TS_OPTION_PART, .part = selection_rows, AT(report.selection)},
	{TS_OPTION_READ, "input", 'i', "FILE", "captures, joined (tstream.data or perf.data)",
	 .group = "How", .read = report_options_add_input},
	{TS_OPTION_NUMBER, "jobs", 'j', "N", "threads (one a CPU)", AT(report.nr_jobs), .least = 1,
	 .most = WORKERS_MAX},
	{TS_OPTION_PART, .part = memory_rows, AT(report.mem_limit)},
	{TS_OPTION_FLAG, "quiet", 'q', NULL, "print only damage", AT(report.quiet)},
	{TS_OPTION_FLAG, "verbose", 'v', NULL, "say how much was read", BESIDE, AT(report.verbose)},
	{0},
};

void export_options_init(struct export_options *o)
{
	*o = (struct export_options){0};
	report_options_init(&o->report);
}

/* Of samples or their stacks: a copy has records as they are. */
static bool has_choice(const struct export_options *o)
{
	const struct report_options *r = &o->report;
	struct report_options usual;

	report_options_init(&usual);
	return selection_text_is_some(&r->selection) || o->event || r->with_inlined ||
	       r->max_stack != usual.max_stack || r->unwind != usual.unwind || r->places.symfs ||
	       r->places.kallsyms || r->places.vmlinux || r->places.server;
}

static int refuse_choice(struct ts_error *err)
{
	ts_error_set(err, EINVAL,
		     "cannot choose what perf.data has: it has all records as they are, and no "
		     "symbols");
	return ts_error_hint(
		err, "give one capture, and only --format, -i, -o, -f, -j, --mem-limit, -q or -v");
}

static int check_copy(const struct export_options *o, struct ts_error *err)
{
	if (has_choice(o))
		return refuse_choice(err);
	if (o->report.nr_inputs > 1) {
		ts_error_set(err, EINVAL, "cannot export several captures as one perf.data");
		return ts_error_hint(err, "'tstream merge --single' joins those of one recording");
	}
	if (!o->output || strcmp(o->output, "-") != 0)
		return 0;
	ts_error_set(err, EINVAL,
		     "cannot export perf.data to standard output: its begin is known at its end");
	return ts_error_hint(err, "give a file, or take 'tstream merge --single -o -'");
}

int export_options_settle(void *options, struct ts_error *err)
{
	struct export_options *o = options;

	if (!o->format) {
		ts_error_set(err, EINVAL, "cannot export: give --format=FORMAT");
		export_format_hint(err);
		return -EINVAL;
	}
	if (o->is_annotated && !o->format->has_marks) {
		ts_error_set(err, EINVAL, "cannot annotate the format %s: its names have no marks",
			     o->format->name);
		return ts_error_hint(err, "leave out --annotate");
	}
	if (o->weight != EXPORT_UNWEIGHED && o->format->weightless) {
		ts_error_set(err, EINVAL, "cannot weigh the format %s: %s", o->format->name,
			     o->format->weightless);
		return ts_error_hint(err, "leave out --weight");
	}
	if (o->timeline != EXPORT_TIMELINE_UNSET && !o->format->has_timelines) {
		ts_error_set(err, EINVAL, "cannot choose the timeline of %s: only chrome has two",
			     o->format->name);
		return ts_error_hint(err, "leave out --timeline");
	}
	if (o->format->is_copy)
		return check_copy(o, err);
	o->report.with_times = o->format->times.most_threads;
	o->report.has_whole_stacks = true;
	return selection_settle(&o->report.selection, err);
}

int export_options_take_word(void *options, char **rest, struct ts_error *err)
{
	return report_options_add_input(options, *rest, err);
}
