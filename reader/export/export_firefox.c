// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_firefox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/export/firefox_tables.h"
#include "reader/runtime/text.h"

#define MOST_BYTES  (400u << 20)   /* of JSON: a text in a browser has half a gigabyte */
#define MS_DECIMALS 6		   /* times in nanoseconds are milliseconds with so many */
#define VISIBLE	    10		   /* threads that are shown at first */
#define LOST_NAME   "lost samples" /* of markers */
#define LOST_TYPE   "LostSamples"

struct firefox {
	const struct export_source *source;
	struct json_file file;
	struct stack_tree tree;
	struct firefox_tables tables;
	uint32_t *owners;		/* of the gaps: the threads that show them */
	const struct timed_gap **shown; /* room for the gaps of a thread */
};

/* --- meta --- */

static void put_ms(struct json *j, const char *key, uint64_t ns)
{
	json_decimal(j, key, ns, MS_DECIMALS);
}

/* Between two samples: the period of a clock, or the mean of the largest thread. */
static uint64_t interval_ns_of(const struct export_source *s)
{
	if (export_about_is_clock(s->about) && export_about_period(s->about))
		return export_about_period(s->about);
	return ts_max(export_times_interval_ns(s->times), (uint64_t)1);
}

static void put_field(struct json *j, const char *key, const char *label)
{
	json_open(j, NULL, '{');
	json_text(j, "key", key);
	json_text(j, "label", label);
	json_text(j, "format", "integer");
	json_close(j, '}');
}

/* How the viewer shows losses: above the threads, and in its table and chart of markers. */
static void put_schema(struct json *j)
{
	static const char *const places[] = {"timeline-overview", "marker-chart", "marker-table"};

	json_open(j, "markerSchema", '[');
	json_open(j, NULL, '{');
	json_text(j, "name", LOST_TYPE);
	json_open(j, "display", '[');
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		json_text(j, NULL, places[i]);
	json_close(j, ']');
	json_text(j, "chartLabel", "{marker.data.lost} samples lost");
	json_text(j, "tooltipLabel", "{marker.data.lost} samples lost");
	json_text(j, "tableLabel", "{marker.data.lost} samples lost");
	json_open(j, "fields", '[');
	put_field(j, "lost", "Lost samples");
	put_field(j, "kept", "Samples");
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
}

/* "Host: x" has a label; other lines are notes. */
static void put_line(const char *line, size_t len, struct json *j)
{
	const char *colon = memchr(line, ':', len);
	const bool has_label = colon && (size_t)(colon - line) + 2 < len && colon[1] == ' ';
	const size_t skipped = has_label ? (size_t)(colon - line) + 2 : 0;

	json_open(j, NULL, '{');
	json_text_n(j, "label", has_label ? line : "Note", has_label ? skipped - 2 : 4);
	json_text(j, "format", "string");
	json_text_n(j, "value", line + skipped, len - skipped);
	json_close(j, '}');
}

/* The viewer shows them under "Profile info". */
static void put_about(const struct export_about *about, struct json *j)
{
	const char *line;
	size_t at = 0, len;

	json_open(j, "extra", '[');
	json_open(j, NULL, '{');
	json_text(j, "label", "Capture");
	json_open(j, "entries", '[');
	while ((line = export_about_line(about, &at, &len)))
		put_line(line, len, j);
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
}

static void put_units(struct json *j)
{
	json_open(j, "sampleUnits", '{');
	json_text(j, "time", "ms");
	json_text(j, "eventDelay", "ms");
	json_text(j, "threadCPUDelta", "ns");
	json_close(j, '}');
}

static void put_visible(const struct export_source *s, struct json *j)
{
	json_open(j, "initialVisibleThreads", '[');
	for (uint32_t i = 0; i < ts_min(s->times->threads.nr, (uint32_t)VISIBLE); i++)
		json_u64(j, NULL, i);
	json_close(j, ']');
}

/* The first exported sample on the wall clock; 0: unknown. Of several captures the earliest recording. */
static uint64_t start_ns_of(const struct export_source *s)
{
	const uint64_t first_ns = s->times->samples.starts_ns[0];

	if (s->about->has_several_captures || !s->about->start_ns || first_ns < s->about->first_ns)
		return s->about->start_ns;
	return s->about->start_ns + (first_ns - s->about->first_ns);
}

static void put_meta(const struct export_source *s, struct json *j)
{
	json_open(j, "meta", '{');
	json_text(j, "product", "tstream");
	json_text(j, "importedFrom", "tstream");
	json_u64(j, "version", 30); /* of Firefox's own format, which this is not */
	json_u64(j, "preprocessedProfileVersion", 60);
	json_u64(j, "processType", 0); /* none of Firefox's */
	json_u64(j, "stackwalk", 1);   /* there are stacks */
	put_ms(j, "startTime", start_ns_of(s));
	put_ms(j, "interval", interval_ns_of(s));
	/* The viewer leaves a sample out that is at the end. */
	json_u64(j, "profilingStartTime", 0);
	put_ms(j, "profilingEndTime", s->times->samples.length_ns + interval_ns_of(s));
	json_bool(j, "symbolicated", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_bool(j, "keepProfileThreadOrder", true);
	put_units(j);
	put_visible(s, j);
	put_about(s->about, j);
	put_schema(j);
	firefox_tables_put_categories(j);
	json_close(j, '}');
}

/* --- a thread --- */

struct sample_rows { /* of a thread */
	const struct timed_sample *items;
	const struct stack_tree *tree;
};

static void put_stack(const void *from, uint64_t row, struct json *j)
{
	const struct sample_rows *r = from;

	json_u64(j, NULL, r->tree->of_path[r->items[row].path]);
}

/* Since the sample before. */
static void put_time(const void *from, uint64_t row, struct json *j)
{
	const struct timed_sample *s = &((const struct sample_rows *)from)->items[row];

	put_ms(j, NULL, s->time_ns - (row ? s[-1].time_ns : 0));
}

static void put_period(const void *from, uint64_t row, struct json *j)
{
	json_u64(j, NULL, ((const struct sample_rows *)from)->items[row].period);
}

static void put_period_ms(const void *from, uint64_t row, struct json *j)
{
	put_ms(j, NULL, ((const struct sample_rows *)from)->items[row].period);
}

static const struct json_column stack_column = {"stack", put_stack, NULL};
static const struct json_column time_column = {"timeDeltas", put_time, NULL};
static const struct json_column ran_column = {"threadCPUDelta", put_period, NULL};
static const struct json_column weight_column = {"weight", put_period, NULL};
static const struct json_column weight_ms_column = {"weight", put_period_ms, NULL};

/* A sample of a clock also says how long its thread ran since the one before. */
static int put_samples(struct firefox *f, const struct timed_thread *t, struct ts_error *err)
{
	const bool is_clock = export_about_is_clock(f->source->about);
	const bool is_weighed = f->source->weight == EXPORT_PERIOD;
	const struct sample_rows rows = {f->source->times->samples.items + t->first, &f->tree};
	struct json *j = &f->file.json;
	int rc;

	json_open(j, "samples", '{');
	json_u64(j, "length", t->nr);
	json_text(j, "weightType", is_clock && is_weighed ? "tracing-ms" : "samples");
	rc = json_file_column(&f->file, &stack_column, t->nr, &rows, err);
	if (!rc)
		rc = json_file_column(&f->file, &time_column, t->nr, &rows, err);
	if (!rc && is_clock)
		rc = json_file_column(&f->file, &ran_column, t->nr, &rows, err);
	if (!rc && is_weighed)
		rc = json_file_column(&f->file, is_clock ? &weight_ms_column : &weight_column,
				      t->nr, &rows, err);
	if (!is_weighed)
		json_null(j, "weight");
	json_close(j, '}');
	return rc;
}

/* --- losses --- */

/* The largest thread of the capture; if all of them were merged, the first thread of all. */
static uint32_t owner_of(const struct export_source *s, uint32_t capture)
{
	for (uint32_t i = 0; i < s->times->threads.nr; i++) {
		const struct timed_thread *t = s->times->threads.items[i].samples;

		if (t->capture == capture && !t->nr_merged)
			return i;
	}
	return 0;
}

static int find_owners(struct firefox *f)
{
	const struct timed_gaps *gaps = &f->source->times->gaps;

	f->owners = calloc(gaps->nr + 1, sizeof(*f->owners));
	f->shown = calloc(gaps->nr + 1, sizeof(*f->shown));
	if (!f->owners || !f->shown)
		return -ENOMEM;
	for (size_t i = 0; i < gaps->nr; i++)
		f->owners[i] = i && gaps->items[i].capture == gaps->items[i - 1].capture
				       ? f->owners[i - 1]
				       : owner_of(f->source, gaps->items[i].capture);
	return 0;
}

static void put_loss(const void *from, uint64_t row, struct json *j)
{
	const struct timed_gap *gap = ((const struct timed_gap *const *)from)[row];

	json_open(j, NULL, '{');
	json_text(j, "type", LOST_TYPE);
	json_u64(j, "lost", gap->nr_lost);
	json_u64(j, "kept", gap->nr_kept);
	json_close(j, '}');
}

static void put_start(const void *from, uint64_t row, struct json *j)
{
	put_ms(j, NULL, ((const struct timed_gap *const *)from)[row]->from_ns);
}

static void put_end(const void *from, uint64_t row, struct json *j)
{
	put_ms(j, NULL, ((const struct timed_gap *const *)from)[row]->until_ns);
}

static int put_markers(struct firefox *f, uint32_t thread, struct ts_error *err)
{
	const struct timed_gaps *gaps = &f->source->times->gaps;
	char name[16]; /* its string */
	const struct json_column columns[] = {
		{"data", put_loss, NULL},	{"name", NULL, name},
		{"startTime", put_start, NULL}, {"endTime", put_end, NULL},
		{"phase", NULL, "1"}, /* from a start to an end */
		{"category", NULL, "0"},	{0}};
	uint64_t nr = 0;
	int rc;

	for (size_t i = 0; i < gaps->nr; i++)
		if (f->owners[i] == thread)
			f->shown[nr++] = &gaps->items[i];
	snprintf(name, sizeof(name), "%" PRIu32, firefox_tables_marker(&f->tables));
	json_open(&f->file.json, "markers", '{');
	rc = json_file_columns(&f->file, columns, nr, f->shown, err);
	json_close(&f->file.json, '}');
	return rc;
}

/* --- threads --- */

/* Processes of several captures may have one number, but the viewer groups threads by it. */
static void put_pid(const struct named_thread *t, struct json *j)
{
	struct ts_bytes text = {0};

	if (t->samples->nr_merged)
		text_put(&text, "other");
	else
		ts_bytes_printf(&text, "%" PRIu32, t->samples->pid);
	if (t->host)
		ts_bytes_printf(&text, " on %s", t->host);
	json_bytes(j, "pid", &text);
}

static int put_thread(struct firefox *f, uint32_t i, struct ts_error *err)
{
	const struct named_thread *t = &f->source->times->threads.items[i];
	struct json *j = &f->file.json;
	int rc;

	json_open(j, NULL, '{');
	json_text(j, "processType", "default");
	json_text(j, "processName", t->process);
	json_u64(j, "processStartupTime", 0);
	json_null(j, "processShutdownTime");
	json_u64(j, "registerTime", 0);
	json_null(j, "unregisterTime");
	json_open(j, "pausedRanges", '[');
	json_close(j, ']');
	json_text(j, "name", t->name);
	json_bool(j, "isMainThread", !t->samples->nr_merged && t->samples->pid == t->samples->tid);
	json_bool(j, "showMarkersInTimeline", true);
	put_pid(t, j);
	json_u64(j, "tid", t->samples->tid);
	rc = put_markers(f, i, err);
	if (!rc)
		rc = put_samples(f, t->samples, err);
	json_close(j, '}');
	return rc;
}

static int put_threads(struct firefox *f, struct ts_error *err)
{
	int rc = 0;

	json_open(&f->file.json, "threads", '[');
	for (uint32_t i = 0; !rc && i < f->source->times->threads.nr; i++)
		rc = put_thread(f, i, err);
	json_close(&f->file.json, ']');
	return rc;
}

/* --- the whole --- */

static int write_profile(struct firefox *f, struct ts_error *err)
{
	struct json *j = &f->file.json;
	int rc;

	json_open(j, NULL, '{');
	put_meta(f->source, j);
	rc = firefox_tables_put_libs(&f->tables, &f->file, err);
	json_open(j, "pages", '[');
	json_close(j, ']');
	if (!rc)
		rc = firefox_tables_put_shared(&f->tables, &f->file, err);
	if (!rc)
		rc = put_threads(f, err);
	json_close(j, '}');
	return rc ? rc : json_file_close(&f->file, err);
}

int export_firefox_write(const struct export_source *source, struct result_file *to,
			 struct ts_error *err)
{
	struct firefox f = {.source = source};
	int rc;

	if (stack_tree_init(&f.tree, source->paths, source->aggregate->memory) ||
	    firefox_tables_init(&f.tables, source->paths->looks, &f.tree, LOST_NAME) ||
	    find_owners(&f))
		rc = ts_error_sys(err, ENOMEM, "cannot write %s", to->path);
	else
		rc = json_file_open(&f.file, to, MOST_BYTES, source->progress, source->nr_workers,
				    err);
	if (!rc)
		rc = write_profile(&f, err);
	json_file_release(&f.file);
	firefox_tables_release(&f.tables);
	stack_tree_release(&f.tree);
	free(f.owners);
	free(f.shown);
	return rc;
}
