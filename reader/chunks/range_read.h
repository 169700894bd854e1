/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A range of whole plain records is read once: its kinds, its times and, if asked for, counts by type
 * and event.
 *
 * Threads: pure functions; a layout is immutable once made.
 */
#ifndef TS_READER_CHUNKS_RANGE_READ_H
#define TS_READER_CHUNKS_RANGE_READ_H

#include <stddef.h>
#include <stdint.h>

#include "common/perf/record.h"
#include "reader/chunks/chunk_table.h"

/* The place of the time in records of this capture, if it is the same for all events. */
struct range_layout {
	const struct ts_events *events;
	uint32_t sample_time_off;   /* from a SAMPLE's start; 0: decode each */
	uint32_t trailer_time_tail; /* from another record's end; 0: decode each */
	uint32_t sample_min_bytes;  /* a SAMPLE must have for the above */
	size_t trailer_bytes;	    /* of all events; 0: they differ, or have none */
};

/* Finds the place of the time in samples and in trailers of these events. */
void range_layout_init(struct range_layout *l, const struct ts_events *events);
/* The time of a kernel record; 0 when it has none or is damaged. */
uint64_t range_layout_time(const struct range_layout *l, const struct perf_event_header *hdr);
/*
 * Reads a range of plain records: fills flags (kinds), nr_records and times of *chunk, and adds to
 * *counts (may be NULL). Returns the bytes that were whole records.
 */
size_t range_read(const struct range_layout *l, const uint8_t *records, size_t len,
		  struct chunk *chunk, struct chunk_counts *counts);

#endif
