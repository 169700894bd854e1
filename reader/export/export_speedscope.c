// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_speedscope.h"

#include <errno.h>
#include <inttypes.h>

#include "common/base/sum.h"
#include "reader/encoding/json_file.h"
#include "reader/runtime/text.h"

#define MOST_BYTES (200u << 20) /* of JSON: the viewer keeps each sample as an object */
#define SCHEMA	   "https://www.speedscope.app/file-format-schema.json"

struct speedscope {
	const struct export_source *source;
	struct json_file file;
	bool by_period;
	uint32_t loss_frame; /* behind the looks */
};

/* --- frames --- */

static const char *const notes[FRAME_KIND_NR] = {
	[FRAME_KIND_KERNEL] = "kernel",
	[FRAME_KIND_INLINED] = "inlined",
	[FRAME_KIND_JIT] = "JIT",
};

/* "/usr/lib/libc.so.6 (inlined)" */
static void put_object(const struct frame_look *look, struct json *j)
{
	struct ts_bytes text = {0};

	if (!look->object[0] && !notes[look->kind])
		return;
	text_put(&text, look->object);
	if (notes[look->kind])
		ts_bytes_printf(&text, "%s(%s)", look->object[0] ? " " : "", notes[look->kind]);
	json_bytes(j, "file", &text);
}

static void put_frame(const struct frame_look *look, struct json *j)
{
	json_open(j, NULL, '{');
	json_text(j, "name", look->name);
	put_object(look, j);
	json_close(j, '}');
}

static int put_frames(struct speedscope *s, struct ts_error *err)
{
	const struct frame_looks *looks = s->source->paths->looks;
	const struct frame_look loss = {.name = "[lost samples]", .object = ""};
	struct json *j = &s->file.json;
	int rc = 0;

	json_open(j, "shared", '{');
	json_open(j, "frames", '[');
	for (uint32_t i = 0; !rc && i < looks->nr; i++) {
		put_frame(&looks->items[i], j);
		rc = json_file_pass(&s->file, err);
	}
	put_frame(&loss, j);
	json_close(j, ']');
	json_close(j, '}');
	return rc;
}

/* --- a thread --- */

/* The number of samples from *at on that have its stack; their weight. */
static uint64_t count_equal(const struct speedscope *s, const struct timed_sample *at,
			    const struct timed_sample *end, uint64_t *ret_weight)
{
	const struct timed_sample *next = at;
	uint64_t period = 0;

	for (; next < end && next->path == at->path; next++)
		period = ts_sum(period, next->period);
	*ret_weight = s->by_period ? period : (uint64_t)(next - at);
	return (uint64_t)(next - at);
}

static void put_stack(const struct speedscope *s, const struct timed_sample *sample, struct json *j)
{
	const struct stack_path *path = &s->source->paths->items[sample->path];
	const uint32_t *looks = s->source->paths->numbers + path->first;

	json_open(j, NULL, '[');
	for (uint32_t i = 0; i < path->nr; i++)
		json_u64(j, NULL, looks[i]);
	json_close(j, ']');
}

/* An array of the runs of equal stacks: the stacks, or their weights. */
static int put_runs(struct speedscope *s, const struct timed_thread *t, bool are_weights,
		    struct ts_error *err)
{
	const struct timed_sample *at = s->source->times->samples.items + t->first;
	const struct timed_sample *const end = at + t->nr;
	struct json *j = &s->file.json;
	uint64_t weight;
	int rc = 0;

	json_open(j, are_weights ? "weights" : "samples", '[');
	while (!rc && at < end) {
		const uint64_t nr = count_equal(s, at, end, &weight);

		if (are_weights)
			json_u64(j, NULL, weight);
		else
			put_stack(s, at, j);
		at += nr;
		rc = json_file_pass(&s->file, err);
	}
	json_close(j, ']');
	return rc;
}

static void put_name(const struct named_thread *t, struct json *j)
{
	struct ts_bytes text = {0};

	text_put(&text, t->name);
	if (!t->samples->nr_merged)
		ts_bytes_printf(&text, " (%" PRIu32 "/%" PRIu32 ")", t->samples->pid,
				t->samples->tid);
	if (t->host)
		ts_bytes_printf(&text, " on %s", t->host);
	json_bytes(j, "name", &text);
}

static void put_kind(const char *unit, uint64_t end, struct json *j)
{
	json_text(j, "type", "sampled");
	json_text(j, "unit", unit);
	json_u64(j, "startValue", 0);
	json_u64(j, "endValue", end);
}

static int put_thread(struct speedscope *s, const struct named_thread *t, struct ts_error *err)
{
	const bool is_time = s->by_period && export_about_is_clock(s->source->about);
	struct json *j = &s->file.json;
	int rc;

	json_open(j, NULL, '{');
	put_name(t, j);
	put_kind(is_time ? "nanoseconds" : "none",
		 s->by_period ? t->samples->period : t->samples->nr, j);
	rc = put_runs(s, t->samples, false, err);
	if (!rc)
		rc = put_runs(s, t->samples, true, err);
	json_close(j, '}');
	return rc;
}

/* --- losses --- */

static void put_losses(const struct speedscope *s, const struct timed_gaps *gaps, struct json *j)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < gaps->nr; i++)
		sum = ts_sum(sum, gaps->items[i].nr_lost);
	json_open(j, NULL, '{');
	json_text(j, "name", "lost samples (no thread)");
	put_kind("none", sum, j);
	json_open(j, "samples", '[');
	json_open(j, NULL, '[');
	json_u64(j, NULL, s->loss_frame);
	json_close(j, ']');
	json_close(j, ']');
	json_open(j, "weights", '[');
	json_u64(j, NULL, sum);
	json_close(j, ']');
	json_close(j, '}');
}

/* --- the whole --- */

static int put_profiles(struct speedscope *s, struct ts_error *err)
{
	const struct export_times *times = s->source->times;
	int rc = 0;

	json_open(&s->file.json, "profiles", '[');
	for (uint32_t i = 0; !rc && i < times->threads.nr; i++)
		rc = put_thread(s, &times->threads.items[i], err);
	if (times->gaps.nr)
		put_losses(s, &times->gaps, &s->file.json);
	json_close(&s->file.json, ']');
	return rc;
}

static void put_about(const struct export_about *about, struct json *j)
{
	size_t len;
	const char *title = export_about_title(about, &len);

	if (title)
		json_text_n(j, "name", title, len);
	else
		json_text(j, "name", "tstream");
	json_text(j, "exporter", "tstream");
	json_u64(j, "activeProfileIndex", 0);
	export_about_put(about, j); /* for people: it is not of the format */
}

static int write_profile(struct speedscope *s, struct ts_error *err)
{
	struct json *j = &s->file.json;
	int rc;

	json_open(j, NULL, '{');
	json_text(j, "$schema", SCHEMA);
	put_about(s->source->about, j);
	rc = put_frames(s, err);
	if (!rc)
		rc = put_profiles(s, err);
	json_close(j, '}');
	return rc ? rc : json_file_close(&s->file, err);
}

/* Periods if they are asked for, or if nothing is and the event is a clock; else numbers of samples. */
static bool is_by_period(const struct export_source *s)
{
	return s->weight == EXPORT_PERIOD ||
	       (s->weight == EXPORT_UNWEIGHED && export_about_is_clock(s->about) &&
		s->paths->weight[STACK_NEW].period);
}

int export_speedscope_write(const struct export_source *source, struct result_file *to,
			    struct ts_error *err)
{
	struct speedscope s = {
		.source = source,
		.by_period = is_by_period(source),
		.loss_frame = source->paths->looks->nr,
	};
	int rc = json_file_open(&s.file, to, MOST_BYTES, source->progress, source->nr_workers, err);

	s.file.instead = "folded";
	if (!rc)
		rc = write_profile(&s, err);
	json_file_release(&s.file);
	return rc;
}
