/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Could a recorder have written this record?
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_CHUNKS_RECORD_SANITY_H
#define TS_READER_CHUNKS_RECORD_SANITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/perf/record.h"

/*
 * The reason why a record is damaged; NULL: it is sound. hdr->size bytes of it are readable.
 * *ret_unknown_event: it belongs to an event that *events does not have, which the kernel can cause
 * (docs/decisions/0042-ids-of-others.md). Types that are newer than this program are sound, if they
 * are near to the known types.
 */
const char *record_sanity_check(const struct ts_events *events, const struct perf_event_header *hdr,
				bool *ret_unknown_event);

/*
 * Bytes from this record to the next one. 0 if no recorder writes such a header, or if the record
 * needs more than the `left` bytes. Only a few records of tools have a size that is no multiple of
 * 8; all others keep the records on a grid of 8 bytes.
 */
size_t record_sanity_span(const uint8_t *at, size_t left);

#endif
