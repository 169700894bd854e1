/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over all records of a copied run. It counts the records, those of the recorder itself
 * and the losses that they report, and it finds their lowest and highest time.
 *
 * Each recorded byte passes this walk between the copy and the disk. So the walk reads only
 * headers, times and process numbers. These are at constant places, because all our events have the
 * same base sample_type (IDENTIFIER|IP|TID|TIME|...) and sample_id_all. In a SAMPLE the time is at
 * byte 32 and the process at byte 24. In any other record the time is 24 bytes before the end.
 *
 * Records that the kernel lengthened must be mended before (common/perf/lengthened.h). Otherwise
 * their time is at another place.
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
	uint64_t lost_after_ns; /* highest time before the first of them; 0: there is none */
	uint64_t lost_samples;	/* sum over LOST_SAMPLES records */
	uint64_t throttles;	/* THROTTLE records */
};

/*
 * Walks the len bytes at `run`. own_pid is the process whose samples are counted in nr_own, 0 for
 * none. All threads of a recorder have its number, and so have the kernel's workers for it.
 *
 * Returns false if a record is impossible: its size is no multiple of 8, is less than a header, or
 * reaches beyond the run. Then *ret covers the records before it, and *ret_bad is its offset.
 */
bool record_walk_all(const void *run, size_t len, uint32_t own_pid, struct record_walk *ret,
		     size_t *ret_bad);

/* The process of a whole record; UINT32_MAX if the record has none. Only samples have one. */
uint32_t record_walk_pid(const void *record);

/* The time of a whole record, in ns of the capture's clock; 0 if the record has none. */
uint64_t record_walk_time(const void *record);
/* Adds one nanosecond to the time of a record of side-band, which must have a trailer. */
void record_walk_delay(void *record);

/* Gives all records of a run the time. They are whole, are no samples, and have a trailer. */
void record_walk_set_times(void *run, size_t len, uint64_t time_ns);

#endif
