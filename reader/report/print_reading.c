// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_reading.h"

#include <inttypes.h>

#include "common/base/log.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_damage.h"
#include "reader/trust/print_symbols.h"

static void say_count(uint64_t nr, const char *what)
{
	if (nr)
		ts_log_warn("%" PRIu64 " %s", nr, what);
}

/* Prints the notes of the further captures. */
static uint64_t say_joined(struct joined_captures *j)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < j->nr; i++) {
		struct joined *item = &j->items[i];

		print_running(&item->capture, item->chunks.selection);
		nr += print_account(&item->capture) + item->nr_bad;
		if (joined_captures_merge_damage(item))
			ts_log_warn("not enough memory to list all damage");
		if (item->percent < 100)
			ts_log_warn("interrupted: only %.0f %% of %s was counted", item->percent,
				    item->capture.path);
		print_damage(&item->capture, &item->damage);
		if (item->nr_bad + item->nr_unknown)
			ts_log_warn("%" PRIu64 " samples of %s cannot be decoded and were left out",
				    item->nr_bad + item->nr_unknown, item->capture.path);
		print_deferred(item->nr_cut, item->capture.path);
		nr += item->damage.nr + print_header_damage(&item->capture);
	}
	return nr;
}

uint64_t print_reading(struct report_run *r)
{
	uint64_t nr = r->aggregate.nr_bad;

	print_running(&r->capture, r->chunks.selection);
	nr += print_account(&r->capture);
	print_symbols_notes(r->symbols);
	if (report_run_merge_damage(r))
		ts_log_warn("not enough memory to list all damage");
	nr += r->damage.nr;
	if (progress_is_stopped(r->capture.progress) && r->percent < 100)
		ts_log_warn("interrupted: only %.0f %% of %s was counted", r->percent,
			    r->capture.path);
	print_damage(&r->capture, &r->damage);
	say_count(r->aggregate.nr_bad, "samples reach beyond their end and were left out");
	say_count(r->aggregate.nr_unknown, "samples of an event that the header does not name");
	print_deferred(r->aggregate.nr_cut, r->capture.path);
	nr += print_header_damage(&r->capture);
	return nr + say_joined(&r->join);
}
