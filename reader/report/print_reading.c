// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_reading.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/log.h"
#include "reader/commands/print_warnings.h"
#include "reader/rows/parent_key.h"
#include "reader/trust/explain_no_match.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_damage.h"
#include "reader/trust/print_no_samples.h"
#include "reader/trust/print_symbols.h"

static void say_count(uint64_t nr, const char *what)
{
	if (nr)
		ts_log_warn("%" PRIu64 " %s", nr, what);
}

/* perf may be newer: no damage. */
static void say_newer(uint64_t nr, const char *path)
{
	if (nr)
		ts_log_warn("%" PRIu64 " records of %s are of types that are unknown here", nr,
			    path);
}

/* Prints the notes of the further captures. */
static uint64_t say_joined(struct joined_captures *j)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < j->nr; i++) {
		struct joined *item = &j->items[i];

		print_running(&item->capture, item->chunks.selection);
		nr += print_account(&item->capture, &item->chunks) + item->nr_bad +
		      item->nr_unknown;
		if (joined_captures_merge_damage(item))
			ts_log_warn("not enough memory to list all damage");
		if (item->percent < 100)
			ts_log_warn("interrupted: only %.0f %% of %s was counted", item->percent,
				    item->capture.path);
		print_damage(&item->capture, &item->damage);
		if (item->nr_bad + item->nr_unknown)
			ts_log_warn("%" PRIu64 " samples of %s cannot be decoded and were left out",
				    item->nr_bad + item->nr_unknown, item->capture.path);
		say_newer(item->nr_newer, item->capture.path);
		print_deferred(item->nr_cut, item->capture.path);
		nr += item->damage.nr + print_header_damage(&item->capture);
	}
	return nr;
}

/* "file.c:12"; a line that is not known is "function+12", or nothing. */
static bool is_known_line(const char *line, bool is_file)
{
	const char *colon = line ? strrchr(line, ':') : NULL;

	return line && (is_file ? *line : colon && isdigit((unsigned char)colon[1]));
}

static bool is_key(const struct table_plan *plan, enum table_key key)
{
	for (size_t i = 0; i < plan->nr_keys; i++)
		if (plan->keys[i] == key)
			return true;
	return false;
}

static void say_rows(uint64_t nr, const char *lack)
{
	if (nr)
		ts_log_note("%" PRIu64 " %s no %s: 'tstream report --explain-symbols' lists the "
			    "reasons",
			    nr, nr == 1 ? "row has" : "rows have", lack);
}

/* Counts rows whose name or line is in a file that cannot be read, or lacks it. */
static void say_missing(const struct report_run *r)
{
	const struct table *t = &r->table;
	const bool has_sym = is_key(&t->plan, TABLE_SYM),
		   has_file = is_key(&t->plan, TABLE_SRCFILE);
	const bool has_line = has_file || is_key(&t->plan, TABLE_SRCLINE);
	const uint16_t depth = t->plan.is_nested ? t->plan.levels[t->plan.nr_keys - 1] : 0;
	uint64_t nr_names = 0, nr_lines = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct table_row *row = &t->order[i];
		const struct frame *frame = row->depth == depth ? table_frame(t, row->entry) : NULL;

		if (!frame || !frame->module)
			continue;
		nr_names += has_sym && !frame->symbol && symbols_are_unreadable(frame->module);
		nr_lines +=
			has_line && frame->level == '.' && !is_known_line(frame->line, has_file);
	}
	say_rows(nr_names, "name of a function");
	say_rows(nr_lines, "source line");
}

void print_reading_warnings(struct report_run *r)
{
	print_warnings(&r->warnings);
	for (size_t i = 0; i < r->join.nr; i++)
		print_warnings(&r->join.items[i].warnings);
}

uint64_t print_reading(struct report_run *r)
{
	uint64_t nr = r->aggregate.nr_bad + r->aggregate.nr_unknown;

	print_running(&r->capture, r->chunks.selection);
	nr += print_account(&r->capture, &r->chunks);
	print_symbols_notes(r->symbols);
	if (!r->options->explain)
		say_missing(r);
	if (report_run_merge_damage(r))
		ts_log_warn("not enough memory to list all damage");
	nr += r->damage.nr;
	if (progress_is_stopped(r->capture.progress) && r->percent < 100)
		ts_log_warn("interrupted: only %.0f %% of %s was counted", r->percent,
			    r->capture.path);
	print_damage(&r->capture, &r->damage);
	say_count(r->aggregate.nr_bad, "samples are not as long as their fields and were left out");
	say_count(r->aggregate.nr_unknown, "samples of an event that the header does not name");
	say_newer(r->aggregate.nr_newer, r->capture.path);
	print_deferred(r->aggregate.nr_cut, r->capture.path);
	nr += print_header_damage(&r->capture);
	return nr + say_joined(&r->join);
}

void print_reading_empty(const struct report_run *r)
{
	const struct selection_text *selected = &r->options->selection;
	const struct frames *frames = &r->aggregate.frames;
	char buf[EXPLAIN_NO_MATCH_BYTES];

	if (r->options->only_parents && !selection_text_is_some(selected) && frames->nr) {
		ts_log_warn("no caller in %s matches '%s': -x leaves out every row",
			    r->capture.path,
			    r->options->parent ? r->options->parent : PARENT_KEY_DEFAULT);
		return;
	}
	print_no_samples(&r->chunks, selected,
			 explain_no_match_text(
				 &(struct explain_no_match){&r->selection, r->tasks, frames}, buf));
	for (size_t i = 0; i < r->join.nr; i++) {
		const struct joined *item = &r->join.items[i];

		print_no_samples(
			&item->chunks, selected,
			explain_no_match_text(
				&(struct explain_no_match){&item->selection, item->tasks, frames},
				buf));
	}
}
