// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/wait.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"

static const enum wait_kind kinds[] = {WAIT_URING, WAIT_EPOLL};

static struct wait w;
static struct ts_error err;
static int fds[3];

static void set_up(enum wait_kind kind)
{
	static const enum wait_what what[] = {WAIT_RINGS, WAIT_STOP, WAIT_WRITE};

	cr_assert_eq(wait_init(&w, kind, 3, NULL, 0, &err), 0, "%s", err.text);
	for (int i = 0; i < 3; i++) {
		fds[i] = eventfd(0, EFD_NONBLOCK);
		cr_assert_eq(wait_add(&w, fds[i], what[i], &err), 0, "%s", err.text);
	}
}

static void tear_down(void)
{
	wait_close(&w);
	wait_close(&w);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static void wake(int i)
{
	cr_assert_eq(eventfd_write(fds[i], 1), 0);
}

static uint64_t in_ms(unsigned ms)
{
	return ts_clock_now_ns() + ms * TS_NS_PER_MS;
}

Test(wait, ends_at_the_deadline)
{
	for (int k = 0; k < 2; k++) {
		uint64_t start_ns = ts_clock_now_ns();

		set_up(kinds[k]);
		cr_assert_eq(wait_next(&w, in_ms(20), &err), 0);
		cr_assert_geq(ts_clock_now_ns() - start_ns, 20 * TS_NS_PER_MS);
		cr_assert_eq(wait_next(&w, 0, &err), 0);
		cr_assert_eq(wait_next(&w, start_ns, &err), 0);
		tear_down();
	}
}

Test(wait, says_what_became_ready)
{
	for (int k = 0; k < 2; k++) {
		set_up(kinds[k]);
		wake(0);
		cr_assert_eq(wait_next(&w, TS_TIME_NEVER, &err), WAIT_RINGS);
		wake(1);
		wake(2);
		cr_assert_eq(wait_next(&w, TS_TIME_NEVER, &err) | wait_next(&w, 0, &err),
			     WAIT_STOP | WAIT_WRITE);
		tear_down();
	}
}

/* Nobody reads the descriptor; a new event counts, an old one does not. */
Test(wait, reports_each_readiness_once)
{
	for (int k = 0; k < 2; k++) {
		set_up(kinds[k]);
		for (int i = 0; i < 1000; i++) {
			wake(0);
			cr_assert_eq(wait_next(&w, in_ms(5000), &err), WAIT_RINGS);
			if (i % 100 == 0)
				cr_assert_eq(wait_next(&w, in_ms(3), &err), 0);
		}
		tear_down();
	}
}

Test(wait, keeps_for_the_next_wait_what_a_look_found)
{
	for (int k = 0; k < 2; k++) {
		set_up(kinds[k]);
		wake(0);
		wait_look(&w);
		wait_look(&w);
		cr_assert_eq(wait_next(&w, in_ms(5000), &err), WAIT_RINGS);
		cr_assert_eq(wait_next(&w, in_ms(3), &err), 0);
		tear_down();
	}
}

Test(wait, sees_a_descriptor_that_was_ready_before_it_was_added)
{
	for (int k = 0; k < 2; k++) {
		int fd = eventfd(1, EFD_NONBLOCK);

		cr_assert_eq(wait_init(&w, kinds[k], 1, NULL, 0, &err), 0);
		cr_assert_eq(wait_add(&w, fd, WAIT_STOP, &err), 0);
		cr_assert_eq(wait_next(&w, in_ms(5000), &err), WAIT_STOP);
		wait_close(&w);
		close(fd);
	}
}

Test(wait, survives_more_events_than_its_queues_hold)
{
	for (int k = 0; k < 2; k++) {
		int found = 0;

		set_up(kinds[k]);
		for (int i = 0; i < 5000; i++)
			wake(i % 2);
		while (wait_next(&w, in_ms(20), &err) > 0)
			found++;
		cr_assert_geq(found, 1);
		wake(0);
		cr_assert_eq(wait_next(&w, in_ms(5000), &err), WAIT_RINGS);
		tear_down();
	}
}

Test(wait, does_not_spin_on_a_hang_up)
{
	for (int k = 0; k < 2; k++) {
		int ends[2], found = 0;
		uint64_t until_ns;

		cr_assert_eq(pipe(ends), 0);
		cr_assert_eq(wait_init(&w, kinds[k], 1, NULL, 0, &err), 0);
		cr_assert_eq(wait_add(&w, ends[0], WAIT_RINGS, &err), 0);
		close(ends[1]);
		until_ns = in_ms(50);
		while (ts_clock_now_ns() < until_ns) {
			cr_assert_geq(wait_next(&w, until_ns, &err), 0);
			found++;
		}
		cr_assert_leq(found, 5);
		wait_close(&w);
		close(ends[0]);
	}
}

Test(wait, refuses_a_bad_descriptor_and_one_too_many)
{
	for (int k = 0; k < 2; k++) {
		cr_assert_eq(wait_init(&w, kinds[k], 1, NULL, 0, &err), 0);
		cr_assert_eq(wait_add(&w, 9999, WAIT_RINGS, &err), -EBADF);
		cr_assert_eq(wait_add(&w, 0, WAIT_RINGS, &err), -ENOSPC);
		wait_close(&w);
	}
}
