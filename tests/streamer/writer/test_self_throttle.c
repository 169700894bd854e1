// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/self_throttle.h"

#include <criterion/criterion.h>

#include "common/base/clock.h"

#define WAKE_OWN 8 /* samples that a wake-up makes */

/* A second of wake-ups, each as soon as the rest is over: the samples of its own. */
static uint64_t live(uint64_t others_a_second, uint64_t own_a_wakeup, uint64_t *ret_rests)
{
	uint64_t now_ns = TS_NS_PER_SEC, end_ns = 2 * TS_NS_PER_SEC, nr_own = 0, slept_ns = now_ns;
	struct self_throttle r = {0};

	*ret_rests = 0;
	while (now_ns < end_ns) {
		uint64_t others = (now_ns - slept_ns) * others_a_second / TS_NS_PER_SEC;
		uint64_t rest_ns = self_throttle_account(&r, now_ns, own_a_wakeup, others);

		nr_own += own_a_wakeup;
		*ret_rests += rest_ns > 0;
		slept_ns = now_ns;
		now_ns += rest_ns + TS_NS_PER_SEC / 100000;
	}
	return nr_own;
}

Test(rest, lets_a_writer_make_some_thousand_samples_a_second)
{
	uint64_t rests, nr_own = live(0, WAKE_OWN, &rests);

	cr_expect_geq(nr_own, 3900);
	cr_expect_leq(nr_own, 4500, "%lu", (unsigned long)nr_own);
	cr_expect_gt(rests, 100);
}

Test(rest, lets_it_make_half_as_many_as_others_do)
{
	const uint64_t others[] = {1000, 30000, 200000, 1000000};

	for (unsigned i = 0; i < 4; i++) {
		uint64_t rests, nr_own = live(others[i], WAKE_OWN, &rests);

		cr_expect_leq(nr_own, 4500 + others[i] * 6 / 10, "%lu of %lu",
			      (unsigned long)nr_own, (unsigned long)others[i]);
	}
}

Test(rest, holds_up_nobody_who_mostly_records_others)
{
	struct self_throttle r = {0};

	for (uint64_t i = 1; i < 1000; i++)
		cr_assert_eq(self_throttle_account(&r, TS_NS_PER_SEC + i * TS_NS_PER_US, 10, 30),
			     0);
}

Test(rest, is_shorter_where_others_are_busy)
{
	struct self_throttle idle = {0}, busy = {0};
	uint64_t idle_ns = 0, busy_ns = 0;

	for (uint64_t i = 1; i < 100; i++) {
		idle_ns = self_throttle_account(&idle, TS_NS_PER_SEC + i * TS_NS_PER_MS, 20, 0);
		busy_ns = self_throttle_account(&busy, TS_NS_PER_SEC + i * TS_NS_PER_MS, 420, 800);
	}
	cr_expect_eq(idle_ns, 4 * TS_NS_PER_MS);
	cr_expect_gt(busy_ns, 0);
	cr_expect_lt(busy_ns, idle_ns);
}

/* After a great debt, or hours of sleep. */
Test(rest, forgets_in_time)
{
	struct self_throttle r = {0};
	uint64_t now_ns = TS_NS_PER_SEC;

	cr_expect_eq(self_throttle_account(&r, now_ns, UINT64_MAX, 0), 4 * TS_NS_PER_MS);
	now_ns += TS_NS_PER_SEC;
	self_throttle_account(&r, now_ns, 0, 0);
	now_ns += TS_NS_PER_SEC;
	cr_expect_eq(self_throttle_account(&r, now_ns, 0, 0), 0);
	now_ns += 10000 * TS_NS_PER_SEC;
	cr_expect_eq(self_throttle_account(&r, now_ns, 0, UINT64_MAX), 0);
	cr_expect_gt(self_throttle_account(&r, now_ns + 1, 100, 0), 0,
		     "what was earned long ago is not kept");
}
