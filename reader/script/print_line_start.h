/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a line of script begins with: who, where, when.
 *
 *	comm  pid/tid [cpu] misc  time-of-day seconds.micros:
 *
 * Threads: as the printer's.
 */
#ifndef TS_READER_SCRIPT_PRINT_LINE_START_H
#define TS_READER_SCRIPT_PRINT_LINE_START_H

#include "reader/script/print_script.h"

/* Of a record of this type and event. Its name is that of thread `who`, the rest is `sid`'s. */
void script_print_start(struct script_printer *p, const struct ts_event *event, uint32_t type,
			uint16_t misc, const struct ts_sample_id *who,
			const struct ts_sample_id *sid, struct ts_bytes *out);

#endif
