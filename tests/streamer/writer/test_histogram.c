// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/histogram.h"

#include <criterion/criterion.h>

#include "common/base/clock.h"

static struct histogram h;
static struct histogram_counts c;

Test(histogram, counts_by_powers_of_two)
{
	histogram_add(&h, 0);
	histogram_add(&h, 999);
	histogram_add(&h, 1000);
	histogram_add(&h, 1999);
	histogram_add(&h, 2000);
	histogram_add(&h, TS_NS_PER_MS);
	histogram_read(&h, &c);
	cr_assert_eq(c.nr, 6);
	cr_assert_eq(c.buckets[0], 2);
	cr_assert_eq(c.buckets[1], 2);
	cr_assert_eq(c.buckets[2], 1);
	cr_assert_eq(c.buckets[10], 1); /* 512 us to 1024 us */
	cr_assert_eq(c.max_ns, TS_NS_PER_MS);
}

Test(histogram, puts_what_takes_very_long_into_the_last_bucket)
{
	histogram_add(&h, 3600 * TS_NS_PER_SEC);
	histogram_add(&h, UINT64_MAX);
	histogram_read(&h, &c);
	cr_assert_eq(c.buckets[HISTOGRAM_BUCKETS - 1], 2);
	cr_assert_eq(histogram_percentile_ns(&c, 50), UINT64_MAX);
}

Test(histogram, tells_percentiles_by_the_end_of_their_bucket)
{
	for (int i = 0; i < 98; i++)
		histogram_add(&h, 3000); /* 2 us to 4 us */
	histogram_add(&h, 100000);	 /* 64 us to 128 us */
	histogram_add(&h, 9000000);	 /* 8.2 ms to 16.4 ms */
	histogram_read(&h, &c);
	cr_assert_eq(histogram_percentile_ns(&c, 50), 4000);
	cr_assert_eq(histogram_percentile_ns(&c, 98), 4000);
	cr_assert_eq(histogram_percentile_ns(&c, 99), 128000);
	cr_assert_eq(histogram_percentile_ns(&c, 100), 9000000);
}

Test(histogram, has_no_percentile_when_it_is_empty)
{
	histogram_read(&h, &c);
	cr_assert_eq(c.nr, 0);
	cr_assert_eq(histogram_percentile_ns(&c, 50), 0);
}
