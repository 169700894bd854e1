/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Could a recorder have written this section of a header? Sections have no checksum, but their form
 * is known, and EVENT_DESC repeats the events.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_PERF_SECTION_FORM_H
#define TS_COMMON_PERF_SECTION_FORM_H

#include "common/perf/cursor.h"
#include "common/perf/record.h"

enum ts_section_form {
	TS_SECTION_SOUND, /* or of a feature whose form is unknown here */
	TS_SECTION_MALFORMED,
	TS_SECTION_OTHER_EVENTS, /* EVENT_DESC: its attrs or ids are not those of the events */
};

/* `c` has the payload of feature `bit`. */
enum ts_section_form ts_section_form(unsigned int bit, struct ts_cursor c,
				     const struct ts_events *events);

#endif
