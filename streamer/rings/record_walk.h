/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One look at every record of a copied run: how many, of what time, whose, what they say was lost.
 *
 * It runs between the copy and the disk on every byte that is recorded, so it reads only headers,
 * times and process numbers. They are at constant places, because all our events carry the same base
 * sample_type (IDENTIFIER|IP|TID|TIME|...) and sample_id_all: the time is byte 32 of a SAMPLE, its
 * process byte 24; the time of any other record stands 24 bytes before its end.
 *
 * Records that the kernel lengthened must have been mended before (common/perf/lengthened.h): their time is not
 * there else.
 *
 * Threads: a pure function.
 */
#ifndef TS_STREAMER_RINGS_RECORD_WALK_H
#define TS_STREAMER_RINGS_RECORD_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_WALK_TRAILER_BYTES 32 /* of all our events: pid and tid, time, cpu, id */

struct record_walk {
	uint64_t nr_records, nr_samples;
	uint64_t nr_own;		   /* samples of own_pid */
	uint64_t time_min_ns, time_max_ns; /* 0, 0: no record has a time */
	uint64_t lost;			   /* sum over LOST records */
	uint64_t lost_samples;		   /* sum over LOST_SAMPLES records */
	uint64_t throttles;		   /* THROTTLE records */
};

/*
 * Walks the len bytes at `run`. own_pid: the process whose samples are counted apart, 0 for none;
 * all threads of a recorder have its number, the kernel's workers for it included.
 *
 * false: a record cannot be (its size is no multiple of 8, below its header, or reaches beyond the
 * run); *ret holds what came before it and *ret_bad where it stands.
 */
bool record_walk_all(const void *run, size_t len, uint32_t own_pid, struct record_walk *ret,
		     size_t *ret_bad);

/* The process that a whole record is of; -1: it does not tell. Of samples alone. */
uint32_t record_walk_pid(const void *record);

/* When a whole record was made, in ns of the capture's clock; 0: it does not tell. */
uint64_t record_walk_time(const void *record);

#endif
