/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints samples as lines of text, as perf script does.
 *
 *	comm  tid [cpu] seconds.micros:     period event:  ip symbol+0xoff (object)
 *	comm  tid [cpu] seconds.micros:     event: fields of the tracepoint
 *	comm  tid [cpu] seconds.micros:     period event:
 *		ip symbol+0xoff (object)		one line a frame, then an empty line
 *
 * `struct script_style` (script_fields.h) selects the fields of each event.
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
	SCRIPT_TIME_REL,   /* since the first printed sample */
	SCRIPT_TIME_DELTA, /* since the sample printed before */
};

struct script_printer {
	/* constant */
	const struct script_style *style;
	const struct ts_header *header;
	enum script_time time; /* unless PLAIN, one printer prints everything, in order */
	bool with_ns;
	bool is_latency; /* -L: narrow columns */
	struct tracefields *fields;
	/* the thread's own */
	struct places places;
	uint64_t base_ns; /* REL and DELTA count from here; 0: nothing was printed yet */
};

/*
 * Frees memory that printing has allocated, not the constant fields. Accepts a zeroed one;
 * idempotent.
 */
void script_printer_release(struct script_printer *p);

/* Appends one sample with the end of its last line. `misc` is that of the record. */
void print_script_sample(struct script_printer *p, uint16_t misc, const struct ts_sample *sample,
			 struct ts_bytes *out);

#endif
