/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record of a raw dump, in perf's layout: its place, its bytes and their meaning.
 *
 *	0x248@cap/data.0 [0x40]: event: 4
 *	.
 *	. ... raw event: size 64 bytes
 *	.  0000:  04 00 00 00 00 00 40 00 ...  ......@.
 *
 *	0 2185392588813 0x248 [0x40]: PERF_RECORD_EXIT(29791:29791):(29790:29790)
 *
 * Fields that reach beyond their record are left out, never read.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_DUMP_DUMP_RECORD_H
#define TS_READER_DUMP_DUMP_RECORD_H

#include <linux/perf_event.h>

#include "common/base/bytes.h"
#include "common/perf/record.h"

/* Prints the bytes; `path` and `offset` are the place of the record. */
void dump_bytes(const struct perf_event_header *hdr, const char *path, uint64_t offset,
		struct ts_bytes *out);

/*
 * Prints the meaning, from "CPU TIME OFFSET [SIZE]: PERF_RECORD_..." on. sample is the decoded
 * sample, only for type SAMPLE.
 */
void dump_meaning(const struct perf_event_header *hdr, uint64_t offset,
		  const struct ts_sample_id *sid, const struct ts_sample *sample,
		  const struct ts_events *events, struct ts_bytes *out);

/* Prints a record that is no sample from "PERF_RECORD_..." on, as in a line of script. */
void dump_event(const struct perf_event_header *hdr, struct ts_bytes *out);

#endif
