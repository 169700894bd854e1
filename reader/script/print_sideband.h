/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints records that are no samples as lines of script (--show-task-events and similar options):
 *
 *	comm  tid [cpu] seconds.micros: PERF_RECORD_FORK(12:12):(1:1)
 *
 * Threads: as `struct script_printer`.
 */
#ifndef TS_READER_SCRIPT_PRINT_SIDEBAND_H
#define TS_READER_SCRIPT_PRINT_SIDEBAND_H

#include "reader/script/print_script.h"

/* Appends one record; sid: its decoded trailer. */
void print_sideband(struct script_printer *p, const struct perf_event_header *hdr,
		    const struct ts_sample_id *sid, struct ts_bytes *out);

#endif
