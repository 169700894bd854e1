/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is one record what a recorder can have written?
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_CHUNKS_RECORD_SANITY_H
#define TS_READER_CHUNKS_RECORD_SANITY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/record.h"

/*
 * The reason why a record, of which hdr->size bytes are readable, is damaged; NULL: it is sound.
 * *ret_unknown_event: it is of an event that *events does not have, which
 * the kernel can cause (docs/decisions/0042-ids-of-others.md). Types that are newer
 * than this program are sound as long as they are near to those it knows.
 */
const char *check_record(const struct ts_events *events, const struct perf_event_header *hdr,
			 bool *ret_unknown_event);

#endif
