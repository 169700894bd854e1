// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/watch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/stop.h"

static struct ts_stop stop;
static struct caller_state signals;
static struct ts_error err;

static void open_watch(struct watch *w)
{
	signals.blocked = false;
	cr_assert_eq(watch_block_signals(&signals, &err), 0);
	cr_assert_eq(ts_stop_init(&stop, &err), 0);
	cr_assert_eq(watch_open(w, &err), 0);
	w->failure_fd = stop.fd;
}

static uint64_t in_ms(uint64_t ms)
{
	return ts_clock_now_ns() + ms * TS_NS_PER_MS;
}

Test(watch, tells_which_signal_asked_to_end)
{
	struct watch w;

	open_watch(&w);
	raise(SIGTERM);
	cr_expect_eq(watch_next(&w, in_ms(1000), &err), WATCH_SIGNAL);
	cr_expect_eq(w.signal, SIGTERM);
	watch_close(&w);
}

Test(watch, tells_of_a_child_without_taking_it_for_an_end)
{
	struct watch w;

	open_watch(&w);
	if (fork() == 0)
		_exit(0);
	cr_expect_eq(watch_next(&w, in_ms(5000), &err), WATCH_CHILD);
	cr_expect_eq(w.signal, 0);
	cr_expect_gt(waitpid(-1, NULL, 0), 0);
	watch_close(&w);
}

Test(watch, wakes_for_flags_the_deadline_control_and_targets)
{
	struct watch w;
	int fds[2];

	open_watch(&w);
	cr_expect_eq(watch_next(&w, in_ms(20), &err), WATCH_DEADLINE);
	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(write(fds[1], "x", 1), 1);
	w.control_fd = fds[0];
	cr_expect_eq(watch_next(&w, in_ms(1000), &err), WATCH_CONTROL);
	w.targets_fd = fds[0];
	cr_expect_eq(watch_next(&w, in_ms(1000), &err), WATCH_TARGETS);
	w.limit_fd = fds[0];
	cr_expect_eq(watch_next(&w, in_ms(1000), &err), WATCH_LIMIT);
	ts_stop_raise(&stop);
	cr_expect_eq(watch_next(&w, in_ms(1000), &err), WATCH_FAILURE);
	watch_close(&w);
}

Test(watch, delivers_a_signal_that_came_while_blocked_when_restored, .signal = SIGTERM)
{
	struct watch w;

	open_watch(&w);
	raise(SIGTERM);
	watch_restore_signals(&signals);
}

Test(watch, forgets_what_must_not_end_a_recording)
{
	sigset_t mask;
	struct watch w;

	open_watch(&w);
	raise(SIGUSR1);
	raise(SIGUSR2);
	cr_expect_eq(watch_next(&w, in_ms(20), &err), WATCH_DEADLINE);
	watch_restore_signals(&signals);
	cr_assert_eq(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	cr_expect_eq(sigismember(&mask, SIGUSR1), 0);
	cr_expect_eq(sigismember(&mask, SIGUSR2), 0);
	watch_close(&w);
}

Test(watch, leaves_a_hangup_ignored_under_nohup)
{
	struct watch w;

	signal(SIGHUP, SIG_IGN);
	open_watch(&w);
	raise(SIGHUP);
	cr_expect_eq(watch_next(&w, in_ms(50), &err), WATCH_DEADLINE);
	watch_close(&w);
}

Test(watch, fails_where_the_kernel_does_not_let_it_wait)
{
	struct rlimit none = {0, 0}, before;
	struct watch w;

	open_watch(&w);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none.rlim_max = before.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	cr_expect_eq(watch_next(&w, TS_TIME_NEVER, &err), -EINVAL);
	cr_expect_eq(err.code, EINVAL);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	watch_close(&w);
}
