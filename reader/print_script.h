/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as lines of text, as perf script prints them by default.
 *
 *	comm  tid [cpu] seconds.micros:     period event:  ip symbol+0xoff (object)
 *	comm  tid [cpu] seconds.micros:     event: fields of the tracepoint
 *	comm  tid [cpu] seconds.micros:     period event:
 *		ip symbol+0xoff (object)		one line a frame, then an empty line
 *
 * Which columns an event has depends on what the events of its type carry, as in perf.
 *
 * Threads: `struct script_style` is constant and shared; a `struct script_printer` belongs to one
 * thread.
 */
#ifndef TS_READER_PRINT_SCRIPT_H
#define TS_READER_PRINT_SCRIPT_H

#include "common/bytes.h"
#include "common/header.h"
#include "common/tasks.h"
#include "reader/symbol.h"
#include "reader/tracefields.h"

#define SCRIPT_TYPES 6 /* PERF_TYPE_HARDWARE .. PERF_TYPE_BREAKPOINT; dynamic PMUs count as RAW */

/* Columns of one event type: enum script_field bits. */
struct script_style {
	uint32_t fields[SCRIPT_TYPES];
	unsigned int name_width; /* of the longest event name */
	bool has_callchains;	 /* some event has */
};

void script_style_init(struct script_style *style, const struct ts_header *header);

struct script_printer {
	const struct script_style *style;
	const struct ts_header *header;
	const struct ts_tasks *tasks;
	struct symbols *syms;
	struct tracefields *fields; /* of this thread */
};

/* Appends one sample, its last line ended. `misc` is the record's. */
void script_print_sample(struct script_printer *p, uint16_t misc, const struct ts_sample *sample,
			 struct ts_bytes *out);

#endif
