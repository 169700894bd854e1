// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_chrome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "reader/export/chrome_slices.h"
#include "reader/report/report_options.h"
#include "reader/runtime/text.h"

#define MOST_BYTES (100u << 20) /* of JSON: viewers make several objects of each slice */
#define OWN_PID	   timed_samples_task(REPORT_INPUTS_MAX, 0) /* behind those of all captures */

struct chrome {
	const struct export_source *source;
	struct json_file file;
	struct chrome_lanes lanes;
	struct chrome_slices slices;
};

/* --- names --- */

/* The name of a process or thread, and of its host; NULL: none. */
static void put_label(struct json *j, const char *key, uint64_t pid, uint64_t tid, const char *name,
		      const char *host)
{
	struct ts_bytes text = {0};

	text_put(&text, name);
	if (host)
		ts_bytes_printf(&text, " on %s", host);
	json_open(j, NULL, '{');
	json_text(j, "ph", "M");
	json_text(j, "name", key);
	chrome_slices_put_place(j, pid, tid, 0);
	json_open(j, "args", '{');
	json_bytes(j, "name", &text);
	json_close(j, '}');
	json_close(j, '}');
}

/* The busiest thread of a process comes first, and CPUs are by number. */
static void put_rank(struct json *j, uint64_t pid, uint64_t tid, uint32_t rank)
{
	json_open(j, NULL, '{');
	json_text(j, "ph", "M");
	json_text(j, "name", "thread_sort_index");
	chrome_slices_put_place(j, pid, tid, 0);
	json_open(j, "args", '{');
	json_u64(j, "sort_index", rank);
	json_close(j, '}');
	json_close(j, '}');
}

/* Is it the first thread of its process? Samples have threads by capture, process and thread. */
static bool is_first(const struct export_source *s, const struct timed_thread *t)
{
	return t == s->times->samples.threads || t[-1].capture != t->capture || t[-1].pid != t->pid;
}

static void name_thread(struct chrome *c, const struct chrome_lane *lane)
{
	const struct named_thread *t = lane->thread;
	struct json *j = &c->file.json;

	if (is_first(c->source, t->samples))
		put_label(j, "process_name", lane->pid, lane->pid, t->process, t->host);
	put_label(j, "thread_name", lane->pid, lane->tid, t->name, NULL);
}

static void name_cpu(struct chrome *c, const struct chrome_lane *lane, bool is_first_of_capture)
{
	const char *host = c->source->captures[lane->capture].name;
	struct json *j = &c->file.json;
	char name[32];

	snprintf(name, sizeof(name),
		 lane->cpu == SAMPLE_LOG_NO_CPU ? "CPU unknown" : "CPU %" PRIu32, lane->cpu);
	if (is_first_of_capture)
		put_label(j, "process_name", lane->pid, lane->pid, "CPUs", host);
	put_label(j, "thread_name", lane->pid, lane->tid, name, NULL);
}

static int put_lane(struct chrome *c, uint32_t number, struct ts_error *err)
{
	const struct chrome_lane *lane = &c->lanes.items[number];

	if (lane->thread)
		name_thread(c, lane);
	else
		name_cpu(c, lane, !number || lane[-1].capture != lane->capture);
	put_rank(&c->file.json, lane->pid, lane->tid, number);
	return chrome_slices_put(&c->slices, lane, err);
}

/* --- losses --- */

static void put_loss(const struct chrome *c, const struct timed_gap *gap, struct json *j)
{
	const uint64_t from_us = chrome_slices_us(&c->slices, gap->from_ns);

	json_open(j, NULL, '{');
	json_text(j, "ph", "X");
	json_text(j, "name", "samples lost");
	json_text(j, "cat", "loss");
	chrome_slices_put_place(j, OWN_PID, OWN_PID + 1 + gap->capture, from_us);
	chrome_slices_put_length(j, chrome_slices_us(&c->slices, gap->until_ns) - from_us);
	json_open(j, "args", '{');
	json_u64(j, "lost", gap->nr_lost);
	json_u64(j, "samples", gap->nr_kept);
	json_close(j, '}');
	json_close(j, '}');
}

static int put_losses(struct chrome *c, struct ts_error *err)
{
	const struct timed_gaps *gaps = &c->source->times->gaps;
	struct json *j = &c->file.json;
	int rc = 0;

	for (size_t i = 0; !rc && i < gaps->nr; i++) {
		const struct timed_gap *gap = &gaps->items[i];

		if (!i || gap[-1].capture != gap->capture)
			put_label(j, "thread_name", OWN_PID, OWN_PID + 1 + gap->capture,
				  "lost samples", c->source->captures[gap->capture].name);
		put_loss(c, gap, j);
		rc = json_file_pass(&c->file, err);
	}
	return rc;
}

/* --- the whole --- */

/* A mark at the begin, since viewers show arguments of events and not "otherData". */
static void put_about(const struct chrome *c, struct json *j)
{
	put_label(j, "process_name", OWN_PID, OWN_PID, "tstream", NULL);
	put_label(j, "thread_name", OWN_PID, OWN_PID, "tstream", NULL);
	json_open(j, NULL, '{');
	json_text(j, "ph", "i");
	json_text(j, "name", "about this capture");
	json_text(j, "cat", "about");
	json_text(j, "s", "t"); /* of its thread: a line over all tracks would hide them */
	chrome_slices_put_place(j, OWN_PID, OWN_PID, 0);
	json_open(j, "args", '{');
	export_about_put(c->source->about, j);
	json_close(j, '}');
	json_close(j, '}');
}

/* The first event has no "cat", or speedscope takes a trace with a function "Profile" for one of V8. */
static int put_events(struct chrome *c, struct ts_error *err)
{
	int rc = 0;

	json_open(&c->file.json, "traceEvents", '[');
	put_about(c, &c->file.json);
	for (uint32_t i = 0; !rc && i < c->lanes.nr; i++)
		rc = put_lane(c, i, err);
	if (!rc)
		rc = put_losses(c, err);
	json_close(&c->file.json, ']');
	return rc;
}

static int write_trace(struct chrome *c, struct ts_error *err)
{
	struct json *j = &c->file.json;
	int rc;

	json_open(j, NULL, '{');
	json_text(j, "displayTimeUnit", "ms");
	json_open(j, "otherData", '{');
	json_text(j, "exporter", "tstream");
	export_about_put(c->source->about, j);
	json_close(j, '}');
	rc = put_events(c, err);
	json_close(j, '}');
	return rc ? rc : json_file_close(&c->file, err);
}

/* Samples of one capture among several may lack their CPU: they are a track of their own. */
static int check_cpus(const struct chrome *c, struct ts_error *err)
{
	bool has_cpus = false;

	for (uint32_t i = 0; i < c->lanes.nr; i++)
		has_cpus |= c->lanes.items[i].cpu != SAMPLE_LOG_NO_CPU;
	if (has_cpus || !c->source->by_cpu)
		return 0;
	ts_error_set(err, EINVAL, "cannot export %s by CPU: its samples have no CPU",
		     c->source->captures[c->lanes.items[0].capture].capture->path);
	return ts_error_hint(err, "leave out --timeline=cpu");
}

static int prepare(struct chrome *c, const struct result_file *to, struct ts_error *err)
{
	if (chrome_lanes_init(&c->lanes, c->source) ||
	    chrome_slices_init(&c->slices, c->source, &c->lanes, &c->file))
		return ts_error_sys(err, ENOMEM, "cannot write %s", to->path);
	return check_cpus(c, err);
}

int export_chrome_write(const struct export_source *source, struct result_file *to,
			struct ts_error *err)
{
	struct chrome c = {.source = source};
	int rc = json_file_open(&c.file, to, MOST_BYTES, source->progress, source->nr_workers, err);

	c.file.instead = "perfetto";
	if (!rc)
		rc = prepare(&c, to, err);
	if (!rc)
		rc = write_trace(&c, err);
	chrome_slices_release(&c.slices);
	chrome_lanes_release(&c.lanes);
	json_file_release(&c.file);
	return rc;
}
