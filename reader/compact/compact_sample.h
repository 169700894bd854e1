/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sample without its stack dump: the callers that were unwound of it stand in its callchain, user
 * registers and stack are gone.
 *
 *	before  IP TID ... CALLCHAIN(kernel)                    RAW BRANCHES  REGS_USER STACK_USER  WEIGHT ...
 *	after   IP TID ... CALLCHAIN(kernel, USER, unwound ...) RAW BRANCHES                        WEIGHT ...
 *
 * Fields that stay are copied as they are.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_COMPACT_COMPACT_SAMPLE_H
#define TS_READER_COMPACT_COMPACT_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/perf/record.h"

/* Room for any record. */
#define COMPACT_SAMPLE_MAX (UINT16_MAX + 1u)

/* Do samples of this event carry a dump of the user stack? */
bool compact_is_dumping(const struct perf_event_attr *attr);
/* The attr of the samples that compact_sample() makes of those of `attr`, which is dumping. */
struct perf_event_attr compact_attr(const struct perf_event_attr *attr);
/*
 * Writes the record to `to`, which has room for COMPACT_SAMPLE_MAX bytes: *s is what hdr was decoded to,
 * *chain what stands in place of its callchain; what a record has no room for is left out at its end.
 * Returns its bytes: a multiple of 8, if those of the dump are.
 */
size_t compact_sample(const struct perf_event_header *hdr, const struct ts_sample *s,
		      const struct ts_words *chain, uint8_t *to);

#endif
