/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the beginning of a line of script: thread, CPU and time.
 *
 *	comm  pid/tid [cpu] misc  time-of-day seconds.micros:
 *
 * Threads: as `struct script_printer`.
 */
#ifndef TS_READER_SCRIPT_PRINT_LINE_START_H
#define TS_READER_SCRIPT_PRINT_LINE_START_H

#include "reader/script/print_script.h"

/*
 * Prints the beginning for a record of this type and event. The name is that of the thread `who`;
 * all other values are those of `sid`.
 */
void print_line_start(struct script_printer *p, const struct ts_event *event, uint32_t type,
		      uint16_t misc, const struct ts_sample_id *who, const struct ts_sample_id *sid,
		      struct ts_bytes *out);

#endif
