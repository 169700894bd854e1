/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a writer rests so that it does not mostly record itself.
 *
 * To wake up, drain and go to sleep again takes a handful of system calls. Where these are recorded
 * with large samples, or into tiny rings, they fill a ring up to its watermark, which wakes the writer
 * again: without end. So it pays for each sample of its own with time. It earns the time that passes,
 * and half as much as one of its own costs for each sample of others. Who owes something rests for as
 * long as it takes to earn that at the present rate, of others as well: half a millisecond where
 * nobody else does anything, microseconds where others are busy.
 *
 * Over any time, then: own samples <= 4,000 a second + half of the others' + a few.
 *
 * Threads: one owner, the writer.
 */
#ifndef TS_STREAMER_WRITER_SELF_THROTTLE_H
#define TS_STREAMER_WRITER_SELF_THROTTLE_H

#include <stdint.h>

struct self_throttle { /* zeroed: nothing has happened yet */
	int64_t credit_ns;
	uint64_t judged_ns;
	/* of late: each look counts half of what the next one does */
	uint64_t passed_ns, earned_ns;
};

/*
 * Accounts for samples that were drained since the last call; how long to rest before the next
 * wake-up, 0: not at all.
 */
uint64_t self_throttle_account(struct self_throttle *r, uint64_t now_ns, uint64_t nr_own,
			       uint64_t nr_others);

#endif
