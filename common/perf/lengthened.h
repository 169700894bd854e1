/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that the kernel made longer than what is in them, and their mending.
 *
 * The kernel tells each event that listens of a KSYMBOL, BPF_EVENT or TEXT_POKE with one and the same
 * header in memory: it adds the bytes of that event's trailer to the size, and does not take them away
 * again before the next one (perf_event_ksymbol_output(), perf_event_bpf_output() and
 * perf_event_text_poke_output() in kernel/events/core.c). So with several recorders only one gets such
 * a record as it should be. The others get it with the trailers of those before them added to its size.
 * What is written is always the same, body and one trailer; behind it stands what the ring held there
 * before:
 *
 *	header body trailer stale       as the kernel lengthened it
 *	header body zeros trailer       mended: its size stays, whoever reads the trailer from the end
 *	                                finds it
 *
 * A record counts as mended if all bytes between its body and its last trailer are zero. One record is
 * misread by that: one other listener's trailer has 8 bytes, and ours begins with pid and tid 0.
 *
 * Whoever copies records of the kernel into a capture mends them: the recorder, and what makes one
 * capture of others. Readers find the trailer of both kinds.
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

/* Is it a type of which the kernel lengthens records? */
static inline bool ts_may_be_lengthened(uint32_t type)
{
	return type < 64 && TS_LENGTHENED_TYPES >> type & 1;
}

/*
 * Offset of the trailer of trailer_bytes (ts_trailer_bytes()) in a kernel record of any type that has
 * one, of which all header.size bytes are readable; at any alignment. Of a record without room for it
 * the size: what is there is no trailer.
 */
size_t ts_trailer_off(const void *record, size_t trailer_bytes);
/* Does its trailer stand elsewhere than at its end? Also false of a record too short for its body. */
bool ts_record_is_lengthened(const void *record, size_t trailer_bytes);
/* Mends a record in place; false: there was nothing to mend. */
bool ts_record_mend(void *record, size_t trailer_bytes);
/*
 * The same of each record in [run, run + len); what cannot be a record ends it. Returns how many were
 * mended.
 */
size_t ts_records_mend(void *run, size_t len, size_t trailer_bytes);

#endif
