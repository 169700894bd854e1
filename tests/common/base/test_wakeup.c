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

/* Sends so many wakeups and takes them, by a descriptor of these flags. */
static void expect_to_be_taken(int nr, int flags)
{
	int fd = eventfd(0, flags);

	for (int i = 0; i < nr; i++)
		ts_wakeup_send(fd);
	ts_wakeup_take(fd);
	cr_expect_not(is_readable(fd));
	close(fd);
}

Test(wakeup, several_are_taken_at_once)
{
	expect_to_be_taken(3, EFD_NONBLOCK);
}

Test(wakeup, to_take_none_does_not_wait)
{
	expect_to_be_taken(0, EFD_NONBLOCK);
}

/* A thread that blocks in read() is woken as well: the wakeup came before it waits. */
Test(wakeup, is_not_lost_before_the_waiting)
{
	expect_to_be_taken(1, 0);
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
