/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the present time on the clock by which the kernel stamps records.
 *
 * If the clock is a clock of the system, it is read. The kernel's own clock has no system call, so
 * an event reads it. The calling thread is renamed to the name that it already has. A dummy event
 * of this thread makes a record of that, and the record has the time.
 *
 * Threads: the thread that opened the clock owns it.
 */
#ifndef TS_STREAMER_MACHINE_RECORD_CLOCK_H
#define TS_STREAMER_MACHINE_RECORD_CLOCK_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/base/error.h"

struct record_clock {
	clockid_t clock; /* used if fd is -1 */
	int fd;		 /* of the dummy; -1: none */
	struct perf_event_mmap_page *page;
	size_t map_bytes;
};

#define RECORD_CLOCK_INIT                                                                          \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Opens the clock of records of events with this attr. */
int record_clock_open(struct record_clock *c, const struct perf_event_attr *attr,
		      struct ts_error *err);
uint64_t record_clock_now(struct record_clock *c); /* ns; 0: the kernel gave no record */
void record_clock_close(struct record_clock *c);   /* accepts RECORD_CLOCK_INIT; idempotent */

#endif
