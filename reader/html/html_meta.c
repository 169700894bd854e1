// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_meta.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "reader/page/frame_palette.h"
#include "reader/runtime/json_text.h"
#include "reader/runtime/text.h"
#include "reader/trust/print_overview.h"

#define FORMAT	    1 /* of the elements */
#define MS_DECIMALS 6 /* times in nanoseconds are milliseconds with so many */

#define NAME_MOST 512u	/* bytes */
#define LINE_MOST 4096u /* of a command line, a title, a path, a fault */

/* --- texts --- */

/* As much of a text as has room in so many bytes, up to the end of a character. */
static size_t length_within(const char *text, size_t len, size_t most)
{
	size_t cut = most;

	if (len <= most)
		return len;
	while (cut > most - 4 && ((uint8_t)text[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

static void put_text_n(struct json *j, const char *key, const char *text, size_t len, size_t most)
{
	json_text_n(j, key, text, length_within(text, len, most));
}

static void put_line(struct json *j, const char *key, const char *text)
{
	put_text_n(j, key, text, strlen(text), LINE_MOST);
}

/* NULL: unknown, as "". */
static void put_name(struct json *j, const char *key, const char *text)
{
	put_text_n(j, key, text ? text : "", text ? strlen(text) : 0, NAME_MOST);
}

/* --- captures --- */

/* Each line is a text. */
static void put_lines(struct json *j, const char *key, const char *lines, size_t len)
{
	const char *end = lines + len;

	json_open(j, key, '[');
	for (const char *next; lines < end; lines = next) {
		const char *newline = memchr(lines, '\n', (size_t)(end - lines));

		next = newline ? newline + 1 : end;
		put_text_n(j, NULL, lines, (size_t)((newline ? newline : end) - lines), LINE_MOST);
	}
	json_close(j, ']');
}

static void put_faults(struct json *j, const struct overview *o)
{
	struct ts_bytes faults = {0};

	print_overview_faults(o, &faults);
	j->out->failed |= faults.failed;
	put_lines(j, "faults", faults.len ? (const char *)faults.data : "", faults.len);
	ts_bytes_release(&faults);
}

static void put_command(struct json *j, const struct overview *o)
{
	struct ts_bytes command = {0};

	print_overview_command(o, &command);
	j->out->failed |= command.failed;
	put_text_n(j, "command", command.len ? (const char *)command.data : "", command.len,
		   LINE_MOST);
	ts_bytes_release(&command);
}

/* The wall clock of its first sample. */
static void put_start(struct json *j, const struct html_source *s, uint32_t capture)
{
	const uint64_t first_ns = s->samples->starts_ns[capture];
	const uint64_t wall_ns = first_ns == UINT64_MAX || !s->has_times
					 ? 0
					 : overview_wall_clock(&s->captures[capture], first_ns);

	if (wall_ns)
		json_decimal(j, "start_ms", wall_ns, MS_DECIMALS);
	else
		json_null(j, "start_ms");
}

/* The events that the page shows may be fewer than the capture has. */
static uint64_t samples_of(const struct timed_samples *samples, uint32_t capture)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < samples->nr_threads; i++)
		if (samples->threads[i].capture == capture)
			nr += samples->threads[i].nr;
	return nr;
}

static void put_capture(struct json *j, const struct html_source *s, uint32_t capture)
{
	const struct overview *o = &s->captures[capture];

	json_open(j, NULL, '{');
	put_line(j, "path", o->capture->path);
	put_name(j, "host", overview_feature(o, TS_FEAT_HOSTNAME));
	put_command(j, o);
	put_name(j, "kernel", overview_feature(o, TS_FEAT_OSRELEASE));
	put_name(j, "arch", overview_feature(o, TS_FEAT_ARCH));
	json_u64(j, "cpus", o->capture->header.nr_cpus_avail);
	put_start(j, s, capture);
	json_u64(j, "samples", samples_of(s->samples, capture));
	put_faults(j, o);
	json_close(j, '}');
}

static void put_captures(struct json *j, const struct html_source *s)
{
	json_open(j, "captures", '[');
	for (uint32_t i = 0; i < s->nr_captures; i++)
		put_capture(j, s, i);
	json_close(j, ']');
}

/* --- events, threads, losses --- */

static void put_event(struct json *j, const struct html_event *event)
{
	json_open(j, NULL, '{');
	put_name(j, "name", event->event->name);
	json_text(j, "unit", html_event_is_clock(event) ? "ns" : "");
	json_u64(j, "samples", event->weight.nr_samples);
	json_u64(j, "period", event->weight.period);
	json_u64(j, "one_period", event->one_period);
	json_close(j, '}');
}

static void put_events(struct json *j, const struct html_events *events)
{
	json_open(j, "events", '[');
	for (uint32_t i = 0; i < events->nr; i++)
		put_event(j, &events->items[i]);
	json_close(j, ']');
}

static void put_numbers(struct json *j, const char *key, const struct timed_samples *samples,
			size_t at)
{
	json_open(j, key, '[');
	for (uint32_t i = 0; i < samples->nr_threads; i++)
		json_u64(j, NULL, *(const uint32_t *)((const uint8_t *)&samples->threads[i] + at));
	json_close(j, ']');
}

static void put_names(struct json *j, const char *key, const char *const *names, uint32_t nr)
{
	json_open(j, key, '[');
	for (uint32_t i = 0; i < nr; i++)
		put_name(j, NULL, names[i]);
	json_close(j, ']');
}

/* The names of threads stand in the order of their samples. */
static void put_thread_names(struct json *j, const struct html_source *s)
{
	const uint32_t nr = s->samples->nr_threads;
	const char **names = calloc(2 * (size_t)nr + 1, sizeof(*names));

	if (!names) {
		j->out->failed = true;
		return;
	}
	for (uint32_t i = 0; i < nr; i++) {
		const struct named_thread *t = &s->threads->items[i];
		const size_t at = (size_t)(t->samples - s->samples->threads);

		names[at] = t->name;
		names[nr + at] = t->process;
	}
	put_names(j, "name", names, nr);
	put_names(j, "process", names + nr, nr);
	free(names);
}

static void put_threads(struct json *j, const struct html_source *s, const struct html_rows *rows)
{
	json_open(j, "threads", '{');
	put_numbers(j, "capture", s->samples, offsetof(struct timed_thread, capture));
	put_numbers(j, "pid", s->samples, offsetof(struct timed_thread, pid));
	put_numbers(j, "tid", s->samples, offsetof(struct timed_thread, tid));
	put_numbers(j, "merged", s->samples, offsetof(struct timed_thread, nr_merged));
	json_open(j, "rows", '[');
	for (uint32_t i = 0; i < s->samples->nr_threads; i++)
		json_u64(j, NULL, rows->of_thread[i]);
	json_close(j, ']');
	put_thread_names(j, s);
	json_close(j, '}');
}

static void put_gaps(struct json *j, const struct html_source *s)
{
	json_open(j, "gaps", '[');
	for (size_t i = 0; s->has_times && i < s->gaps->nr; i++) {
		const struct timed_gap *gap = &s->gaps->items[i];

		json_open(j, NULL, '[');
		json_u64(j, NULL, gap->capture);
		json_u64(j, NULL, gap->from_ns);
		json_u64(j, NULL, gap->until_ns);
		json_u64(j, NULL, gap->nr_lost);
		json_u64(j, NULL, gap->nr_kept);
		json_close(j, ']');
	}
	json_close(j, ']');
}

/* --- colours --- */

static void put_colour(struct json *j, const char *key, unsigned int colour)
{
	char text[8];

	snprintf(text, sizeof(text), "%06x", colour & 0xffffff);
	json_text(j, key, text);
}

static void put_colours(struct json *j)
{
	json_open(j, "kinds", '[');
	for (int kind = 0; kind < FRAME_KIND_NR; kind++) {
		json_open(j, NULL, '{');
		json_text(j, "name", frame_palette[kind].name);
		json_text(j, "light", frame_palette[kind].light);
		json_text(j, "dark", frame_palette[kind].dark);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "palette", '{');
	json_text(j, "text_light", PALETTE_TEXT_LIGHT);
	json_text(j, "text_dark", PALETTE_TEXT_DARK);
	json_text(j, "background_light", PALETTE_BACKGROUND_LIGHT);
	json_text(j, "background_dark", PALETTE_BACKGROUND_DARK);
	put_colour(j, "less", PALETTE_LESS);
	put_colour(j, "same", PALETTE_SAME);
	put_colour(j, "more", PALETTE_MORE);
	json_close(j, '}');
}

/* --- the whole --- */

static void put_planes(struct json *j, const struct html_planes *planes)
{
	json_open(j, "columns", '{');
	json_u64(j, "time", planes->time);
	json_u64(j, "stack", planes->stack);
	json_u64(j, "cpu", planes->cpu);
	json_u64(j, "period", planes->period);
	json_u64(j, "event", planes->event);
	json_u64(j, "count", planes->count);
	json_close(j, '}');
	json_open(j, "planes", '{');
	json_u64(j, "look", planes->look);
	json_u64(j, "object", planes->object);
	json_u64(j, "run", planes->run);
	json_close(j, '}');
}

static void put_counts(struct json *j, const struct html_source *s, const struct html_data *d)
{
	json_bool(j, "has_times", s->has_times);
	json_u64(j, "length_ns", s->has_times ? s->samples->length_ns : 0);
	json_u64(j, "time_unit_ns", d->rows.unit_ns);
	json_u64(j, "step_ns", d->rows.step_ns);
	json_u64(j, "rows", d->rows.nr);
	json_u64(j, "stacks", d->tree.nr_stacks);
	json_u64(j, "nodes", d->tree.nr);
	json_u64(j, "looks", d->tree.nr_looks);
}

/* No script element ends within the text. */
static void put_escaped(const struct ts_bytes *text, struct ts_bytes *out)
{
	out->failed |= text->failed;
	for (size_t at = 0, end; at < text->len; at = end) {
		const uint8_t *found = memchr(text->data + at, '<', text->len - at);

		end = found ? (size_t)(found - text->data) : text->len;
		ts_bytes_put(out, text->data + at, end - at);
		if (found) {
			text_put(out, "\\u003c");
			end++;
		}
	}
}

void html_meta_put(const struct html_source *s, const struct html_data *d, const char *warnings,
		   struct ts_bytes *out)
{
	struct ts_bytes text = {0};
	struct json j = {.out = &text};

	json_open(&j, NULL, '{');
	json_u64(&j, "version", FORMAT);
	json_text(&j, "tstream", PACKAGE_VERSION);
	put_line(&j, "title", s->title);
	put_line(&j, "selection", s->selection);
	put_captures(&j, s);
	put_lines(&j, "warnings", warnings, strlen(warnings));
	put_counts(&j, s, d);
	put_events(&j, &d->events);
	put_threads(&j, s, &d->rows);
	put_gaps(&j, s);
	put_colours(&j);
	put_planes(&j, &d->planes);
	json_close(&j, '}');
	put_escaped(&text, out);
	ts_bytes_release(&text);
}
