// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/target_life.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that lives until the other end of the pipe is closed, or it is killed. */
static pid_t spawn(int hold_fd, int other_end)
{
	pid_t pid = fork();
	char byte;

	if (pid == 0) {
		close(other_end);
		_exit(read(hold_fd, &byte, 1) != 0);
	}
	return pid;
}

static void open_or_skip(struct target_life *l, const pid_t *tids, size_t nr)
{
	struct ts_error err;
	int code = target_life_open(l, tids, nr, 0, true, &err);

	if (code == -EACCES || code == -EPERM)
		cr_skip("perf_event_open is refused here: %s", err.text);
	cr_assert_eq(code, 0, "%s", err.text);
}

static bool becomes_readable(const struct target_life *l, int timeout_ms)
{
	struct pollfd p = {.fd = l->epoll_fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) == 1;
}

Test(lifeline, is_over_only_when_the_last_of_several_has_ended)
{
	int first[2], second[2];
	struct target_life l;
	pid_t pids[2];

	cr_assert_eq(pipe(first) | pipe(second), 0);
	pids[0] = spawn(first[0], first[1]);
	pids[1] = spawn(second[0], second[1]);
	close(first[0]);
	open_or_skip(&l, pids, 2);
	cr_expect_not(becomes_readable(&l, 100));
	kill(pids[0], SIGKILL);
	cr_expect(becomes_readable(&l, 5000));
	cr_expect_not(target_life_is_over(&l));
	cr_expect_not(becomes_readable(&l, 100), "what has ended must not wake again");
	kill(pids[1], SIGKILL);
	cr_expect(becomes_readable(&l, 5000));
	cr_expect(target_life_is_over(&l));
	target_life_close(&l);
}

Test(lifeline, goes_on_with_what_the_target_started)
{
	struct target_life l;
	int hold[2], go[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(hold) | pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		close(hold[1]);
		close(go[1]);
		if (read(hold[0], &byte, 1) == 0 && fork() == 0)
			_exit((int)read(go[0], &byte, 1));
		_exit(0);
	}
	open_or_skip(&l, &pid, 1);
	close(hold[1]);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_expect_not(becomes_readable(&l, 200));
	close(go[1]);
	cr_expect(becomes_readable(&l, 5000));
	cr_expect(target_life_is_over(&l));
	target_life_close(&l);
}

Test(lifeline, refuses_when_everybody_has_gone)
{
	struct ts_error err;
	struct target_life l;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	cr_assert_lt(target_life_open(&l, &pid, 1, 0, true, &err), 0);
	target_life_close(&l);
}

/* Of two processes: the lowest that is above another. */
static pid_t next_of_two(const void *arg, pid_t after)
{
	const pid_t *pids = arg;
	pid_t low = pids[0] < pids[1] ? pids[0] : pids[1], high = pids[0] + pids[1] - low;

	return after < low ? low : after < high ? high : 0;
}

Test(lifeline, watches_one_process_after_the_other)
{
	int first[2], second[2];
	struct target_life l;
	struct ts_error err;
	pid_t pids[2];

	cr_assert_eq(pipe(first) | pipe(second), 0);
	pids[0] = spawn(first[0], first[1]);
	pids[1] = spawn(second[0], second[1]);
	if (target_life_open_processes(&l, next_of_two, pids, 200000000, &err) == -ENOSYS)
		cr_skip("this kernel has no descriptors of processes");
	cr_expect_not(becomes_readable(&l, 100));
	for (int i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		cr_assert_eq(waitpid(pids[i], NULL, 0), pids[i]);
		while (becomes_readable(&l, 50) && !i)
			cr_assert_not(target_life_is_over(&l));
	}
	cr_expect(becomes_readable(&l, 5000));
	cr_expect_not(target_life_is_over(&l), "something may be known later");
	cr_expect_not(becomes_readable(&l, 50));
	cr_expect(becomes_readable(&l, 5000));
	cr_expect(target_life_is_over(&l));
	target_life_close(&l);
	cr_expect_eq(target_life_open_processes(&l, next_of_two, pids, 0, &err), -ESRCH);
	target_life_close(&l);
}
