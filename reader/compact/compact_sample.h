/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one sample without its stack dump: the callchain has the unwound callers, user registers
 * and stack are gone.
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
/* The attr of the samples that compact_sample() makes. `attr` is the old attr, with dumps. */
struct perf_event_attr compact_attr(const struct perf_event_attr *attr);
/*
 * Writes the new record to `to`, which has room for COMPACT_SAMPLE_MAX bytes. *s is the decoded
 * sample of hdr, *chain its new callchain. Entries that do not fit into a record are left out at
 * the end of the chain. Returns the bytes of the record; they are a multiple of 8 if those of the
 * dump are.
 */
size_t compact_sample(const struct perf_event_header *hdr, const struct ts_sample *s,
		      const struct ts_words *chain, uint8_t *to);

#endif
