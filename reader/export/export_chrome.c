// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_chrome.h"

#include <errno.h>

#include "reader/export/chrome_slices.h"
#include "reader/report/report_options.h"
#include "reader/runtime/text.h"

#define MOST_BYTES (100u << 20) /* of JSON: viewers make several objects of each slice */
#define OWN_PID	   chrome_slices_task(REPORT_INPUTS_MAX, 0) /* behind those of all captures */

struct chrome {
	const struct export_source *source;
	struct json_file file;
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
	j->out->failed |= ts_bytes_failed(&text);
	json_open(j, NULL, '{');
	json_text(j, "ph", "M");
	json_text(j, "name", key);
	chrome_slices_put_place(j, pid, tid, 0);
	json_open(j, "args", '{');
	json_text_n(j, "name", (const char *)text.data, text.len);
	json_close(j, '}');
	json_close(j, '}');
	ts_bytes_release(&text);
}

/* The busiest thread of a process comes first. */
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

static int put_thread(struct chrome *c, uint32_t rank, struct ts_error *err)
{
	const struct named_thread *t = &c->source->times->threads.items[rank];
	const uint64_t pid = chrome_slices_task(t->samples->capture, t->samples->pid);
	const uint64_t tid = chrome_slices_task(t->samples->capture, t->samples->tid);
	struct json *j = &c->file.json;

	if (is_first(c->source, t->samples))
		put_label(j, "process_name", pid, pid, t->process, t->host);
	put_label(j, "thread_name", pid, tid, t->name, NULL);
	put_rank(j, pid, tid, rank);
	return chrome_slices_put(&c->slices, t->samples, err);
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
	const struct named_threads *threads = &c->source->times->threads;
	int rc = 0;

	json_open(&c->file.json, "traceEvents", '[');
	put_about(c, &c->file.json);
	for (uint32_t i = 0; !rc && i < threads->nr; i++)
		rc = put_thread(c, i, err);
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

int export_chrome_write(const struct export_source *source, struct result_file *to,
			struct ts_error *err)
{
	struct chrome c = {.source = source};
	int rc = json_file_open(&c.file, to, MOST_BYTES, source->progress, source->nr_workers, err);

	c.file.instead = "perfetto";
	if (!rc && chrome_slices_init(&c.slices, source, &c.file))
		rc = ts_error_sys(err, ENOMEM, "cannot write %s", to->path);
	if (!rc)
		rc = write_trace(&c, err);
	chrome_slices_release(&c.slices);
	json_file_release(&c.file);
	return rc;
}
