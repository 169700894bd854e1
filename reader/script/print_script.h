/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as lines of text, as perf script prints them.
 *
 *	comm  tid [cpu] seconds.micros:     period event:  ip symbol+0xoff (object)
 *	comm  tid [cpu] seconds.micros:     event: fields of the tracepoint
 *	comm  tid [cpu] seconds.micros:     period event:
 *		ip symbol+0xoff (object)		one line a frame, then an empty line
 *
 * Which fields an event has says `struct script_style` (script_fields.h).
 *
 * Threads: `struct script_style` is constant and shared; a `struct script_printer` belongs to one
 * thread.
 */
#ifndef TS_READER_SCRIPT_PRINT_SCRIPT_H
#define TS_READER_SCRIPT_PRINT_SCRIPT_H

#include "common/base/bytes.h"
#include "common/perf/header.h"
#include "reader/script/print_location.h"
#include "reader/script/script_fields.h"
#include "reader/tracepoints/trace_fields.h"

enum script_time {
	SCRIPT_TIME_PLAIN,
	SCRIPT_TIME_REL,   /* since what was printed first */
	SCRIPT_TIME_DELTA, /* since what was printed before */
};

struct script_printer {
	/* constant */
	const struct script_style *style;
	const struct ts_header *header;
	enum script_time time; /* but PLAIN: one printer prints everything, in order */
	bool with_ns;
	bool is_latency; /* -L: narrow columns */
	struct tracefields *fields;
	/* the thread's own */
	struct places places;
	uint64_t base_ns; /* what REL and DELTA are counted from; 0: nothing was printed yet */
};

/* Frees what printing has gathered; not what was put in. Accepts a zeroed one; idempotent. */
void script_printer_release(struct script_printer *p);

/* Appends one sample, its last line ended. `misc` is the record's. */
void script_print_sample(struct script_printer *p, uint16_t misc, const struct ts_sample *sample,
			 struct ts_bytes *out);

#endif
