// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/interrupt_thread.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 60000

static struct progress progress;
static struct interrupt_thread interrupt;

static bool waits_for_stop(void)
{
	struct pollfd fd = {.fd = progress.stop.fd, .events = POLLIN};

	return poll(&fd, 1, LIMIT_MS) == 1 && progress_is_stopped(&progress);
}

/* Runs run() in a process of its own and returns its exit status. */
static int status_of(int (*run)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(run());
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void begin(void)
{
	struct ts_error err;

	signal(SIGINT, SIG_DFL);
	if (progress_init(&progress, &err))
		_exit(99);
	interrupt_thread_start(&interrupt, &progress, false);
}

static int stop_once(void)
{
	begin();
	kill(getpid(), SIGINT);
	if (!waits_for_stop())
		return 1;
	interrupt_thread_end(&interrupt);
	interrupt_thread_end(&interrupt);
	progress_release(&progress);
	return 0;
}

Test(interrupt_thread, makes_a_stop_of_the_first_signal)
{
	cr_expect_eq(status_of(stop_once), 0);
}

static int stop_twice(void)
{
	begin();
	kill(getpid(), SIGINT);
	if (!waits_for_stop())
		return 1;
	kill(getpid(), SIGINT);
	sleep(LIMIT_MS / 1000);
	return 2;
}

Test(interrupt_thread, ends_the_process_at_the_second)
{
	cr_expect_eq(status_of(stop_twice), 130);
}

static int signal_after_the_end(void)
{
	begin();
	interrupt_thread_end(&interrupt);
	raise(SIGINT);
	return 0;
}

Test(interrupt_thread, leaves_signals_as_they_were)
{
	cr_expect_eq(status_of(signal_after_the_end), 128 + SIGINT);
}

static int ignored(void)
{
	struct ts_error err;

	signal(SIGINT, SIG_IGN);
	if (progress_init(&progress, &err))
		return 99;
	interrupt_thread_start(&interrupt, &progress, false);
	kill(getpid(), SIGINT);
	interrupt_thread_end(&interrupt);
	return progress_is_stopped(&progress);
}

Test(interrupt_thread, does_not_take_what_is_ignored)
{
	cr_expect_eq(status_of(ignored), 0);
}
