// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/size_limit.h"

#include <criterion/criterion.h>

static struct size_limit limit;
static struct ts_error err;

Test(size_limit, is_reached_by_all_writers_together)
{
	cr_assert_eq(size_limit_init(&limit, 100, &err), 0);
	size_limit_add(&limit, 60);
	cr_expect_not(ts_stop_is_raised(&limit.reached));
	size_limit_add(&limit, 39);
	cr_expect_not(ts_stop_is_raised(&limit.reached));
	size_limit_add(&limit, 1);
	cr_expect(ts_stop_is_raised(&limit.reached));
	size_limit_release(&limit);
	size_limit_release(&limit);
}

Test(size_limit, is_never_reached_when_there_is_none)
{
	cr_assert_eq(size_limit_init(&limit, 0, &err), 0);
	size_limit_add(&limit, INT64_MAX);
	cr_expect_eq(size_limit_bytes(&limit), INT64_MAX);
	cr_expect_not(ts_stop_is_raised(&limit.reached));
	size_limit_release(&limit);
}
