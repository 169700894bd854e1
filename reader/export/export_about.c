// SPDX-License-Identifier: Apache-2.0
#include "reader/export/export_about.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "reader/runtime/text.h"
#include "reader/trust/print_overview.h"

#define COMMAND_MOST 400 /* bytes of its line: viewers show the lines above their tables */

/* --- lines --- */

static void put_line(const char *before, const char *text, struct ts_bytes *out)
{
	if (!text)
		return;
	text_put(out, before);
	text_name(out, text, 0);
	text_char(out, '\n');
}

static void put_command(const struct overview *o, struct ts_bytes *out)
{
	const size_t from = out->len;

	text_put(out, "Command: ");
	if (!print_overview_command(o, out)) {
		out->len = from;
		return;
	}
	if (out->len - from > COMMAND_MOST) {
		out->len = from + COMMAND_MOST;
		while ((out->data[out->len] & 0xc0) == 0x80) /* inside of a character */
			out->len--;
		text_put(out, "...");
	}
	text_char(out, '\n');
}

static void put_selection(const struct selection *selection, struct ts_bytes *out)
{
	const size_t from = out->len;

	selection_describe(selection, out);
	if (out->len > from)
		text_char(out, '\n');
}

static void put_capture(struct export_about *a, const struct overview *o)
{
	struct ts_bytes *out = &a->lines;
	size_t faults;

	if (o->name)
		put_line("Capture: ", o->capture->path, out);
	faults = out->len;
	print_overview_faults(o, out);
	if (!a->title && out->len > faults)
		a->title = faults;
	put_command(o, out);
	put_line("Host: ", overview_feature(o, TS_FEAT_HOSTNAME), out);
}

/* --- time --- */

static uint64_t duration_of(const struct overview *o, const struct time_ranges *times)
{
	uint64_t sum = 0;

	if (!times->nr)
		return o->last_ns - o->first_ns;
	for (size_t i = 0; i < times->nr; i++) {
		const uint64_t from = ts_max(times->items[i].from_ns, o->first_ns);
		const uint64_t to = ts_min(times->items[i].to_ns, o->last_ns);

		sum += to > from ? to - from : 0;
	}
	return sum;
}

static void take_times(struct export_about *a, const struct overview *o,
		       const struct selection *selection)
{
	const uint64_t start_ns = overview_wall_clock(o, o->first_ns);

	if (start_ns && (!a->start_ns || start_ns < a->start_ns)) {
		a->start_ns = start_ns;
		a->first_ns = o->first_ns;
	}
	a->duration_ns += duration_of(o, &selection->times);
}

/* --- the whole --- */

int export_about_init(struct export_about *a, const struct report_run *r,
		      const struct report_head *head, uint32_t event, struct ts_error *err)
{
	*a = (struct export_about){.event = &report_run_events(r)->items[event],
				   .has_several_captures = report_run_has_several(r)};
	put_selection(&r->selection, &a->lines);
	for (size_t i = 0; i < head->nr; i++) {
		put_capture(a, &head->items[i]);
		take_times(a, &head->items[i], i ? &r->join.items[i - 1].selection : &r->selection);
	}
	return ts_bytes_failed(&a->lines)
		       ? ts_error_sys(err, ENOMEM, "cannot describe %s", r->capture.path)
		       : 0;
}

void export_about_release(struct export_about *a)
{
	ts_bytes_release(&a->lines);
	*a = (struct export_about){0};
}

const char *export_about_line(const struct export_about *a, size_t *at, size_t *ret_len)
{
	const char *line = (const char *)a->lines.data + *at;

	if (*at == a->lines.len)
		return NULL;
	*ret_len = (size_t)((const char *)memchr(line, '\n', a->lines.len - *at) - line);
	*at += *ret_len + 1;
	return line;
}

const char *export_about_title(const struct export_about *a, size_t *ret_len)
{
	size_t at = a->title;

	return export_about_line(a, &at, ret_len);
}

void export_about_put(const struct export_about *a, struct json *j)
{
	const char *line;
	size_t at = 0, len;

	json_open(j, "about", '[');
	while ((line = export_about_line(a, &at, &len)))
		json_text_n(j, NULL, line, len);
	json_close(j, ']');
}

int export_texts_init(struct export_texts *t, const struct export_about *a)
{
	size_t at = 0, len;

	*t = (struct export_texts){0};
	while (export_about_line(a, &at, &len))
		t->nr++;
	t->items = calloc(t->nr + 1, sizeof(char *));
	ts_bytes_put(&t->text, a->lines.data, a->lines.len);
	text_char(&t->text, '\0');
	if (!t->items || ts_bytes_failed(&t->text))
		return -ENOMEM;
	at = 0;
	for (size_t i = 0; i < t->nr; i++) {
		t->items[i] = (char *)t->text.data + at;
		export_about_line(a, &at, &len);
		t->text.data[at - 1] = '\0';
	}
	return 0;
}

void export_texts_release(struct export_texts *t)
{
	ts_bytes_release(&t->text);
	free(t->items);
	*t = (struct export_texts){0};
}

bool export_about_is_clock(const struct export_about *a)
{
	return a->event->attr.type == PERF_TYPE_SOFTWARE &&
	       (a->event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		a->event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

uint64_t export_about_period(const struct export_about *a)
{
	const struct perf_event_attr *attr = &a->event->attr;

	if (a->has_several_captures)
		return 0;
	if (!attr->freq)
		return attr->sample_period;
	/* The kernel gives a clock the same period for ever. */
	return export_about_is_clock(a) && attr->sample_freq ? TS_NS_PER_SEC / attr->sample_freq
							     : 0;
}
