// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/workload.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void hold(struct workload *w, char *const argv[])
{
	struct caller_state caller = {.blocked = false};
	struct ts_error err;

	cr_assert_eq(workload_fork(w, argv, &caller, &err), 0, "%s", err.text);
}

static void wait_for_end(struct workload *w)
{
	for (int i = 0; i < 500 && !workload_has_ended(w); i++)
		usleep(10000);
	cr_assert(workload_has_ended(w));
}

static int run_to_end(const char *script)
{
	struct workload w;
	struct ts_error err;
	int status;

	hold(&w, (char *[]){"sh", "-c", (char *)script, NULL});
	cr_assert_eq(workload_release(&w, &err), 0, "%s", err.text);
	wait_for_end(&w);
	status = workload_exit_status(&w);
	workload_close(&w);
	return status;
}

Test(workload, does_nothing_before_it_is_released)
{
	char file[] = "/tmp/tstream-workload.XXXXXX";
	struct workload w;
	struct ts_error err;
	struct stat st;

	close(mkstemp(file));
	hold(&w, (char *[]){"sh", "-c", "echo x >$0", file, NULL});
	usleep(50000);
	cr_expect_eq(stat(file, &st), 0);
	cr_expect_eq(st.st_size, 0);
	cr_expect_not(workload_has_ended(&w));
	cr_expect_eq(workload_release(&w, &err), 0);
	wait_for_end(&w);
	cr_expect_eq(stat(file, &st), 0);
	cr_expect_eq(st.st_size, 2);
	workload_close(&w);
	unlink(file);
}

Test(workload, ends_without_executing_when_closed_while_held)
{
	char file[] = "/tmp/tstream-workload.XXXXXX";
	struct workload w;
	struct stat st;

	close(mkstemp(file));
	hold(&w, (char *[]){"sh", "-c", "echo x >$0", file, NULL});
	workload_close(&w);
	cr_expect(w.ended);
	cr_expect_eq(stat(file, &st), 0);
	cr_expect_eq(st.st_size, 0);
	unlink(file);
}

Test(workload, gives_the_exit_status_of_the_shell)
{
	cr_expect_eq(run_to_end("exit 0"), 0);
	cr_expect_eq(run_to_end("exit 7"), 7);
	cr_expect_eq(run_to_end("kill -KILL $$"), 128 + SIGKILL);
}

Test(workload, is_terminated_by_sigterm)
{
	struct workload w;
	struct ts_error err;

	hold(&w, (char *[]){"sleep", "60", NULL});
	cr_assert_eq(workload_release(&w, &err), 0);
	workload_terminate(&w);
	wait_for_end(&w);
	cr_expect_eq(workload_exit_status(&w), 128 + SIGTERM);
	workload_close(&w);
}

Test(workload, tells_why_exec_failed)
{
	char file[] = "/tmp/tstream-workload.XXXXXX";
	struct workload w;
	struct ts_error err;

	close(mkstemp(file));
	hold(&w, (char *[]){file, NULL});
	cr_expect_eq(workload_release(&w, &err), -EACCES);
	wait_for_end(&w);
	workload_close(&w);
	unlink(file);
}

Test(workload, gets_the_signal_mask_that_its_maker_had)
{
	struct caller_state caller = {.blocked = false};
	char *argv[] = {"sh", "-c", "grep -q 'SigBlk:.*0000$' /proc/self/status", NULL};
	struct workload w;
	struct ts_error err;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	cr_assert_eq(workload_fork(&w, argv, &caller, &err), 0);
	cr_assert_eq(workload_release(&w, &err), 0);
	wait_for_end(&w);
	cr_expect_eq(workload_exit_status(&w), 0);
	workload_close(&w);
}

Test(workload, gets_the_environment_of_its_caller)
{
	char *environment[] = {"PATH=/usr/bin:/bin", "OF_CALLER=1", NULL};
	struct caller_state caller = {.environment = environment};
	char *argv[] = {"sh", "-c", "test \"$OF_CALLER\" = 1 && test -z \"$OURS\"", NULL};
	struct workload w;
	struct ts_error err;

	setenv("OURS", "1", 1);
	setenv("PATH", "/nowhere", 1);
	cr_expect_eq(workload_check("sh", environment, &err), 0);
	cr_assert_eq(workload_fork(&w, argv, &caller, &err), 0);
	cr_assert_eq(workload_release(&w, &err), 0, "%s", err.text);
	wait_for_end(&w);
	cr_expect_eq(workload_exit_status(&w), 0);
	workload_close(&w);
}

Test(workload, has_the_default_of_SIGXFSZ_that_its_maker_had)
{
	struct caller_state caller = {.blocked = false};
	char file[] = "/tmp/tstream-workload.XXXXXX";
	char *argv[] = {"sh", "-c", "ulimit -f 0; echo x >\"$0\"", file, NULL};
	int fd = mkstemp(file);
	struct workload w;
	struct ts_error err;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(workload_fork(&w, argv, &caller, &err), 0);
	cr_assert_eq(workload_release(&w, &err), 0);
	wait_for_end(&w);
	cr_expect_eq(workload_exit_status(&w), 128 + SIGXFSZ);
	workload_close(&w);
	close(fd);
	unlink(file);
}

Test(workload, finds_what_can_be_executed_before_anything_starts)
{
	struct ts_error err;

	/* As execvp() does, a folder there that may not be looked into counts as a refusal. */
	setenv("PATH", "/usr/bin:/bin", 1);
	cr_expect_eq(workload_check("sh", environ, &err), 0);
	cr_expect_eq(workload_check("/bin/sh", environ, &err), 0);
	cr_expect_eq(workload_check("no-such-command-anywhere", environ, &err), -ENOENT);
	cr_expect_str_eq(err.text,
			 "cannot run 'no-such-command-anywhere': No such file or directory");
	cr_expect_eq(workload_check("/etc/passwd", environ, &err), -EACCES);
	cr_expect_eq(workload_check("/tmp", environ, &err), -EACCES);
}
