// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/cpus.h"
#include "common/base/units.h"
#include "reader/runtime/name_table.h"
#include "reader/runtime/text.h"

/* Any two times suffice to check whether a text makes sense. */
#define CHECK_FIRST_NS 1u
#define CHECK_LAST_NS  1000000000u

bool selection_text_is_some(const struct selection_text *t)
{
	return t->time || t->last || t->cpus || t->pids || t->tids || t->comms || t->dsos ||
	       t->symbols || t->symbol_part || t->is_known;
}

/* --- reading --- */

static int no_memory(struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot read the selection");
}

static int parse_cpus(struct selection *s, const char *text, struct ts_error *err)
{
	if (!text)
		return 0;
	s->cpus = hwloc_bitmap_alloc();
	if (!s->cpus)
		return no_memory(err);
	if (!*text)
		return ts_error_set(err, EINVAL, "cannot select CPUs: the list is empty");
	return ts_cpus_parse(text, s->cpus, err);
}

static size_t count_items(const char *text)
{
	size_t nr = 1;

	for (; *text; text++)
		nr += *text == ',';
	return nr;
}

static int parse_numbers(struct selection_numbers *n, const char *text, const char *what,
			 struct ts_error *err)
{
	const char *at = text;

	if (!text)
		return 0;
	n->items = calloc(count_items(text), sizeof(*n->items));
	if (!n->items)
		return no_memory(err);
	for (;;) {
		char *end;
		unsigned long value = strtoul(at, &end, 10);

		if (end == at || *at < '0' || *at > '9' || value > INT32_MAX ||
		    (*end && *end != ','))
			return ts_error_set(
				err, EINVAL,
				"cannot select %s '%s': give numbers, separated by commas", what,
				text);
		n->items[n->nr++] = (uint32_t)value;
		if (!*end)
			return 0;
		at = end + 1;
	}
}

/* --last: the stretch that ends with the last sample. */
static int parse_last(struct selection *s, const char *text, uint64_t last_ns, struct ts_error *err)
{
	uint64_t length_ns;

	if (!text)
		return 0;
	if (s->text.time)
		return ts_error_set(err, EINVAL,
				    "cannot select by --last and --time at once: give one of them");
	if (ts_units_parse_time(text, TS_NS_PER_SEC, &length_ns) || !length_ns)
		return ts_error_set(
			err, EINVAL,
			"cannot select the last '%s': give a time such as 30s, 1.5s or 500ms",
			text);
	if (time_ranges_clip(&s->times, last_ns > length_ns ? last_ns - length_ns : 0, UINT64_MAX))
		return no_memory(err);
	return 0;
}

static int parse_selection(struct selection *s, const struct selection_text *t, uint64_t first_ns,
			   uint64_t last_ns, struct ts_error *err)
{
	int rc = 0;

	*s = (struct selection){.text = *t};
	if (t->time)
		rc = time_ranges_parse(&s->times, t->time, first_ns, last_ns, err);
	rc = rc ? rc : parse_last(s, t->last, last_ns, err);
	rc = rc ? rc : parse_cpus(s, t->cpus, err);
	rc = rc ? rc : parse_numbers(&s->pids, t->pids, "processes", err);
	rc = rc ? rc : parse_numbers(&s->tids, t->tids, "threads", err);
	if (rc)
		selection_close(s);
	return rc;
}

int selection_settle(struct selection_text *t, struct ts_error *err)
{
	struct selection s;
	int rc = parse_selection(&s, t, CHECK_FIRST_NS, CHECK_LAST_NS, err);

	if (!rc)
		selection_close(&s);
	rc = rc ? rc : selection_words_read(&t->comm_names, t->comms, "commands", err);
	rc = rc ? rc : selection_words_read(&t->dso_names, t->dsos, "objects", err);
	rc = rc ? rc : selection_words_read(&t->symbol_names, t->symbols, "functions", err);
	return rc;
}

void selection_text_release(struct selection_text *t)
{
	selection_words_release(&t->comm_names);
	selection_words_release(&t->dso_names);
	selection_words_release(&t->symbol_names);
}

/* Do all events have the field that is needed? */
static int check_events(const struct ts_events *events, const char *option, uint64_t sample_type,
			const char *what, struct ts_error *err)
{
	for (size_t i = 0; i < events->nr; i++) {
		if (events->items[i].attr.sample_type & sample_type)
			continue;
		ts_error_set(err, EINVAL, "cannot select by %s: samples of %s have no %s", what,
			     events->items[i].name, what);
		return ts_error_hint(err, "leave %s out", option);
	}
	return 0;
}

int selection_open(struct selection *s, const struct selection_text *text,
		   const struct ts_events *events, uint64_t first_ns, uint64_t last_ns,
		   struct ts_error *err)
{
	int rc = 0;

	*s = (struct selection){0};
	if (text->time)
		rc = check_events(events, "--time", PERF_SAMPLE_TIME, "time", err);
	if (!rc && text->last)
		rc = check_events(events, "--last", PERF_SAMPLE_TIME, "time", err);
	if (!rc && text->cpus)
		rc = check_events(events, "--cpu", PERF_SAMPLE_CPU, "CPU", err);
	return rc ? rc : parse_selection(s, text, first_ns, last_ns, err);
}

int selection_end_at(struct selection *s, uint64_t until_ns, struct ts_error *err)
{
	s->until_ns = until_ns;
	return time_ranges_clip(&s->times, 0, until_ns) ? no_memory(err) : 0;
}

void selection_close(struct selection *s)
{
	time_ranges_release(&s->times);
	if (s->cpus)
		hwloc_bitmap_free(s->cpus);
	free(s->pids.items);
	free(s->tids.items);
	*s = (struct selection){0};
}

/* --- asking --- */

static bool has_number(const struct selection_numbers *n, uint32_t number)
{
	for (size_t i = 0; i < n->nr; i++)
		if (n->items[i] == number)
			return true;
	return !n->nr;
}

static bool has_word(const struct selection_words *w, const char *word)
{
	for (size_t i = 0; word && i < w->nr; i++)
		if (!strcmp(w->items[i], word))
			return true;
	return false;
}

bool selection_may_match(const struct selection *s, uint64_t from_ns, uint64_t to_ns, uint32_t cpu)
{
	return time_ranges_overlap(&s->times, from_ns, to_ns) &&
	       (!s->cpus || cpu == UINT32_MAX || hwloc_bitmap_isset(s->cpus, cpu));
}

bool selection_takes_thread(const struct selection *s, uint32_t pid, uint32_t tid, const char *comm)
{
	char buf[UNNAMED_MAX];

	return has_number(&s->pids, pid) && has_number(&s->tids, tid) &&
	       (!s->text.comm_names.nr ||
		has_word(&s->text.comm_names, comm ? comm : name_table_unnamed(tid, buf)));
}

bool selection_takes_place(const struct selection *s, const char *object, const char *object_path,
			   const char *function)
{
	const struct selection_text *t = &s->text;

	if (t->dso_names.nr && !(object && has_word(&t->dso_names, object)) &&
	    !(object_path && has_word(&t->dso_names, object_path)))
		return false;
	if (t->symbol_part && !(function && strstr(function, t->symbol_part)))
		return false;
	return !t->symbol_names.nr || (function && has_word(&t->symbol_names, function));
}

/* --- printing --- */

void selection_describe(const struct selection *s, struct ts_bytes *out)
{
	const struct selection_text *t = &s->text;
	const struct {
		const char *what, *text;
	} parts[] = {
		{"time", t->time},
		{"last", t->last},
		{"CPU", t->cpus},
		{"pid", t->pids},
		{"tid", t->tids},
		{"comm", t->comms},
		{"dso", t->dsos},
		{"symbol", t->symbols},
		{"symbols with", t->symbol_part},
		{"known", t->is_known ? "functions" : NULL},
	};
	const char *between = "Selected: ";

	if (!selection_text_is_some(t))
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].text)
			continue;
		ts_bytes_printf(out, "%s%s ", between, parts[i].what);
		text_name(out, parts[i].text, 0);
		between = ", ";
	}
}

void selection_print(const struct selection *s, struct ts_bytes *out)
{
	if (!selection_text_is_some(&s->text))
		return;
	text_put(out, "# ");
	selection_describe(s, out);
	text_char(out, '\n');
}
