/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that the kernel made longer than their contents, and their mending.
 *
 * For a KSYMBOL, BPF_EVENT or TEXT_POKE the kernel uses one and the same header in memory for all
 * events that listen. It adds the bytes of each event's trailer to the size, and does not subtract
 * them before the next event. See perf_event_ksymbol_output(), perf_event_bpf_output() and
 * perf_event_text_poke_output() in kernel/events/core.c. With several recorders only one therefore
 * gets a correct record. The others get a size that includes the trailers of the events before
 * them. The written bytes are always the same, body and one trailer; stale bytes of the ring
 * follow:
 *
 *	header body trailer stale       as the kernel lengthened it
 *	header body zeros trailer       mended: the size stays, and a reader finds the trailer at
 *	                                the end
 *
 * A record counts as mended if all bytes between its body and its last trailer are zero. This rule
 * misreads one case: another listener has a trailer of 8 bytes, and ours begins with pid and tid 0.
 *
 * The recorder, and each command that makes one capture of others, mend the records that they copy.
 * Readers find the trailer of both kinds.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_PERF_LENGTHENED_H
#define TS_COMMON_PERF_LENGTHENED_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_LENGTHENED_TYPES                                                                        \
	(1ull << PERF_RECORD_KSYMBOL | 1ull << PERF_RECORD_BPF_EVENT |                             \
	 1ull << PERF_RECORD_TEXT_POKE)

/* Does the kernel lengthen records of this type? */
static inline bool ts_lengthened_is_type(uint32_t type)
{
	return type < 64 && TS_LENGTHENED_TYPES >> type & 1;
}

/*
 * Offset of the trailer of trailer_bytes (ts_record_trailer_bytes()) in a kernel record of any type
 * that has a trailer. All header.size bytes are readable, at any alignment. A record without room
 * for a trailer gives its size: it has no trailer.
 */
size_t ts_lengthened_trailer_off(const void *record, size_t trailer_bytes);
/*
 * Does its trailer stand elsewhere than at its end? Also false for a record too short for its body.
 */
bool ts_lengthened_is_record(const void *record, size_t trailer_bytes);
/* Mends a record in place; false: nothing needed mending. */
bool ts_lengthened_mend(void *record, size_t trailer_bytes);
/*
 * Mends each record in [run, run + len); stops at an impossible record. Returns the number of
 * mended records.
 */
size_t ts_lengthened_mend_run(void *run, size_t len, size_t trailer_bytes);

#endif
