/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record as a raw dump shows it: where it stands, its bytes, and what they mean, in perf's
 * layout.
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
 * Threads: none of its own.
 */
#ifndef TS_READER_DUMP_DUMP_RECORD_H
#define TS_READER_DUMP_DUMP_RECORD_H

#include <linux/perf_event.h>

#include "common/base/bytes.h"
#include "common/perf/record.h"

/* The bytes: `path` and `offset` tell where the record stands. */
void dump_bytes(const struct perf_event_header *hdr, const char *path, uint64_t offset,
		struct ts_bytes *out);

/* The meaning, from "CPU TIME OFFSET [SIZE]: PERF_RECORD_..." on; sample: decoded, for type SAMPLE
 * only. */
void dump_meaning(const struct perf_event_header *hdr, uint64_t offset,
		  const struct ts_sample_id *sid, const struct ts_sample *sample,
		  const struct ts_events *events, struct ts_bytes *out);

/* From "PERF_RECORD_..." on, of a record that is no sample, as a line of script has it. */
void dump_event(const struct perf_event_header *hdr, struct ts_bytes *out);

#endif
