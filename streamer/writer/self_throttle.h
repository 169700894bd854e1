/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes how long a writer rests, so that it does not mostly record itself.
 *
 * A writer takes a handful of system calls to wake up, drain and go to sleep again. If these are
 * recorded with large samples, or into tiny rings, they fill a ring up to its watermark. That wakes
 * the writer again, without end. So a writer pays with time for each sample of its own. It earns
 * the time that passes, and for each sample of others half of the price of an own one. A writer
 * that is in debt rests until it would have earned the debt at the present rate, which includes the
 * samples of others. That is half a millisecond if nobody else does anything, and microseconds if
 * others are busy.
 *
 * The result, over any time: own samples <= 4,000 a second + half of the others' samples + a few.
 *
 * Threads: one owner, the writer.
 */
#ifndef TS_STREAMER_WRITER_SELF_THROTTLE_H
#define TS_STREAMER_WRITER_SELF_THROTTLE_H

#include <stdint.h>

struct self_throttle { /* zeroed: nothing has happened yet */
	int64_t credit_ns;
	uint64_t judged_ns;
	/* recent sums: each account counts half as much as the next one */
	uint64_t passed_ns, earned_ns;
};

/*
 * Accounts for the samples that were drained since the last call. Returns how long to rest before
 * the next wake-up; 0: not at all.
 */
uint64_t self_throttle_account(struct self_throttle *r, uint64_t now_ns, uint64_t nr_own,
			       uint64_t nr_others);

#endif
