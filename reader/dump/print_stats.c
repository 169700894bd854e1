// SPDX-License-Identifier: Apache-2.0
#include "reader/dump/print_stats.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/perf/record.h"
#include "common/perf/record_type.h"
#include "reader/runtime/text.h"

static void put_count(const char *name, uint64_t count, struct ts_bytes *out)
{
	ts_bytes_printf(out, "%16s events: %10" PRIu64, name, count);
}

static void put_types(const struct chunk_counts *c, struct ts_bytes *out)
{
	for (uint32_t type = 1; type < CHUNK_RECORD_TYPES; type++) {
		const char *name = ts_record_type_name(type);
		char number[16];

		if (!c->by_type[type])
			continue;
		snprintf(number, sizeof(number),
			 type < CHUNK_RECORD_TYPES - 1 ? "UNKNOWN %u" : "UNKNOWN", type);
		put_count(name ? name : number, c->by_type[type], out);
		ts_bytes_printf(out, "  (%4.1f%%)\n",
				100.0 * (double)c->by_type[type] / (double)c->total);
	}
}

static void put_event(const struct ts_event *event, uint64_t samples, uint64_t lost,
		      struct ts_bytes *out)
{
	if (!samples && !lost)
		return;
	text_name(out, event->name, 0);
	text_put(out, " stats:\n");
	if (samples) {
		put_count("SAMPLE", samples, out);
		text_char(out, '\n');
	}
	if (lost) {
		put_count("LOST_SAMPLES", lost, out);
		text_char(out, '\n');
	}
}

void print_stats(const struct chunk_table *table, struct ts_bytes *out)
{
	const struct ts_events *events = &table->capture->header.events;
	const struct chunk_counts *c = &table->counts;

	text_put(out, "\nAggregated stats:\n");
	put_count("TOTAL", c->total, out);
	text_char(out, '\n');
	put_types(c, out);
	for (size_t i = 0; i < events->nr; i++)
		put_event(&events->items[i], c->event_samples[i], c->event_lost[i], out);
}
