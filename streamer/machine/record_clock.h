/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of now on the clock by which the kernel stamps records.
 *
 * Where that is a clock of the system it is read. The kernel's own, for which there is no call, is
 * asked by an event: a dummy of the calling thread notes that it is renamed (to the name that it has),
 * and the record has the time.
 *
 * Threads: one owner, who opened it.
 */
#ifndef TS_STREAMER_MACHINE_RECORD_CLOCK_H
#define TS_STREAMER_MACHINE_RECORD_CLOCK_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/base/error.h"

struct record_clock {
	clockid_t clock; /* where fd is -1 */
	int fd;		 /* of the dummy; -1: none */
	struct perf_event_mmap_page *page;
	size_t map_bytes;
};

#define RECORD_CLOCK_INIT                                                                          \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Of records of events with this attr. */
int record_clock_open(struct record_clock *c, const struct perf_event_attr *attr,
		      struct ts_error *err);
uint64_t record_clock_now(struct record_clock *c); /* ns; 0: the kernel gave no record */
void record_clock_close(struct record_clock *c);   /* accepts RECORD_CLOCK_INIT; idempotent */

#endif
