// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/print_measures.h"

#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/units.h"

#define TIME_TEXT 16

/* In at most 7 columns; "-" for 0. */
static const char *short_time(char *buf, uint64_t ns)
{
	double us = (double)ns / (double)TS_NS_PER_US;

	if (!ns)
		snprintf(buf, TIME_TEXT, "-");
	else if (us < 999.5)
		snprintf(buf, TIME_TEXT, "%.0f us", us);
	else if (us < 99950)
		snprintf(buf, TIME_TEXT, "%.1f ms", us / 1e3);
	else if (us < 999500)
		snprintf(buf, TIME_TEXT, "%.0f ms", us / 1e3);
	else
		snprintf(buf, TIME_TEXT, "%.1f s", us / 1e6);
	return buf;
}

/* The highest level that any of the writer's rings was seen at, in percent of that ring. */
static double fullest_percent(const struct record_plan *plan, const struct ledger *ledger,
			      size_t writer)
{
	const struct source *s = &plan->source;
	double most = 0;

	for (size_t i = 0; i < s->nr_rings; i++) {
		uint64_t bytes = record_plan_ring_bytes(plan, &s->rings[i]);
		double percent;

		if (s->rings[i].writer != writer || !bytes)
			continue;
		percent = 100.0 * (double)ledger->rings[i].stats.fill_max_bytes / (double)bytes;
		most = percent > most ? percent : most;
	}
	return most;
}

static void print_writer(const struct record_plan *plan, const struct ledger *ledger, size_t i)
{
	const struct writer_measures *m = &ledger->writers[i].measures;
	const struct histogram_counts *lag = &m->lag, *write = &m->write;
	char text[7][TIME_TEXT], size[TS_UNITS_TEXT];

	ts_log_say(TS_LOG_VERBOSE, "  %6zu %4.0f %% | %8s %8s %8s | %8s %8s %8s | %8s %9s", i,
		   fullest_percent(plan, ledger, i),
		   short_time(text[0], histogram_percentile_ns(lag, 50)),
		   short_time(text[1], histogram_percentile_ns(lag, 99)),
		   short_time(text[2], lag->max_ns),
		   short_time(text[3], histogram_percentile_ns(write, 50)),
		   short_time(text[4], histogram_percentile_ns(write, 99)),
		   short_time(text[5], write->max_ns),
		   short_time(text[6], m->user_ns + m->system_ns + m->helpers_ns),
		   ts_units_format_size(size, m->memory_bytes));
}

void print_measures(const struct record_plan *plan, const struct ledger *ledger)
{
	if (!ts_log_enabled(TS_LOG_VERBOSE))
		return;
	ts_log_say(TS_LOG_VERBOSE,
		   "  writer   ring | lag: 50 %%     99 %%      max | write:50 %%     99 %%"
		   "      max |      CPU   buffers");
	for (size_t i = 0; i < ledger->nr_writers; i++)
		print_writer(plan, ledger, i);
}
