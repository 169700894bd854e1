// SPDX-License-Identifier: Apache-2.0
#include "common/base/wakeup.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool is_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

Test(wakeup, stays_until_it_is_taken)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	cr_expect_not(is_readable(fd));
	ts_wakeup_send(fd);
	cr_expect(is_readable(fd));
	cr_expect(is_readable(fd));
	ts_wakeup_take(fd);
	cr_expect_not(is_readable(fd));
	close(fd);
}

Test(wakeup, several_are_taken_at_once)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	for (int i = 0; i < 3; i++)
		ts_wakeup_send(fd);
	ts_wakeup_take(fd);
	cr_expect_not(is_readable(fd));
	close(fd);
}

Test(wakeup, to_take_none_does_not_wait)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	ts_wakeup_take(fd);
	cr_expect_not(is_readable(fd));
	close(fd);
}

/* A thread that blocks in read() is woken as well: the wakeup came before it waits. */
Test(wakeup, is_not_lost_before_the_waiting)
{
	int fd = eventfd(0, 0);

	ts_wakeup_send(fd);
	ts_wakeup_take(fd);
	cr_expect_not(is_readable(fd));
	close(fd);
}

Test(wakeup, a_full_counter_is_no_obstacle)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	const uint64_t most = UINT64_MAX - 1;

	cr_assert_eq(write(fd, &most, sizeof(most)), sizeof(most));
	ts_wakeup_send(fd);
	cr_expect(is_readable(fd));
	ts_wakeup_take(fd);
	cr_expect_not(is_readable(fd));
	close(fd);
}
