/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick decoder of samples: it decodes only the fields that a report counts by.
 *
 * ts_decode_sample() checks for each sample which fields its event carries. This decoder checks
 * that once per event: identification, address, period, callchain and raw data stand at known
 * places if no later field is carried. Samples with more fields (registers, stacks, branches) go
 * through ts_decode_sample(). Both decoders find the same values and refuse the same samples.
 *
 * Threads: immutable after sample_brief_init(); any number of threads may decode with one.
 */
#ifndef TS_READER_SAMPLES_SAMPLE_BRIEF_H
#define TS_READER_SAMPLES_SAMPLE_BRIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/record.h"

/*
 * Offsets of the fields in an event's samples, in bytes from the start of the record; 0: not
 * carried.
 */
struct sample_brief_layout {
	bool is_fixed; /* false: ts_decode_sample() decodes them */
	bool has_chain, has_raw;
	bool is_exact; /* nothing may follow the last field */
	uint16_t ip, tid, time, addr, id, stream_id, cpu, period;
	uint16_t fixed_bytes; /* of all fields before the callchain */
	uint64_t usual_period;
};

struct sample_brief {
	const struct ts_events *events;
	struct sample_brief_layout *layouts; /* by event */
};

/* The events must be indexed, must not change and must outlive *b. Returns 0 or -ENOMEM. */
int sample_brief_init(struct sample_brief *b, const struct ts_events *events);
void sample_brief_release(struct sample_brief *b); /* accepts a zeroed one; idempotent */

/*
 * As ts_decode_sample(), but only these fields of *ret are sure to be set: sid, ip, addr, period,
 * callchain, deferred_cookie, raw, raw_size, cgroup.
 */
enum ts_decode sample_brief_decode(const struct sample_brief *b,
				   const struct perf_event_header *hdr, struct ts_sample *ret);

#endif
