/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick way to decode samples: what a report counts by, nothing else.
 *
 * ts_decode_sample() asks of each sample which fields its event carries. Here that is asked once an
 * event: identification, address, period, callchain and raw data stand at places that are known
 * beforehand, as long as nothing behind them is carried. Samples with more (registers, stacks,
 * branches) go through ts_decode_sample(), so both find the same and refuse the same.
 *
 * Threads: immutable after ts_brief_init(); any number of threads may decode with one.
 */
#ifndef TS_READER_SAMPLES_SAMPLE_BRIEF_H
#define TS_READER_SAMPLES_SAMPLE_BRIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/record.h"

/* Where the fields of an event's samples begin, in bytes from the record's start; 0: not carried. */
struct ts_brief_layout {
	bool is_fixed; /* false: ts_decode_sample() is asked */
	bool has_chain, has_raw;
	uint16_t ip, tid, time, addr, id, stream_id, cpu, period;
	uint16_t fixed_bytes; /* of all that stands before the callchain */
	uint64_t usual_period;
};

struct ts_brief {
	const struct ts_events *events;
	struct ts_brief_layout *layouts; /* by event */
};

/* The events must be indexed, not change and outlive it. 0 or -ENOMEM. */
int ts_brief_init(struct ts_brief *b, const struct ts_events *events);
void ts_brief_release(struct ts_brief *b); /* accepts a zeroed one; idempotent */

/*
 * As ts_decode_sample(), but only sid, ip, addr, period, callchain, deferred_cookie, raw, raw_size
 * and cgroup of *ret are sure to be set.
 */
enum ts_decode ts_decode_brief(const struct ts_brief *b, const struct perf_event_header *hdr,
			       struct ts_sample *ret);

#endif
