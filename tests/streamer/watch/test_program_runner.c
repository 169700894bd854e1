// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/program_runner.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned int deadline_s;

/* As a program leaves a file. */
static void clear(char *const *argv)
{
	unlink(argv[3]);
}

static void start(struct program_runner *r, int log_fd)
{
	struct caller_state signals = {.blocked = false};
	struct ts_error err;

	sigemptyset(&signals.mask);
	signals.sigchld.sa_handler = SIG_DFL;
	cr_assert_eq(program_runner_start(r,
					  &(struct program_runner_plan){.what = "a test",
									.deadline_s = deadline_s,
									.log_fd = log_fd,
									.caller = &signals,
									.clear = clear},
					  &err),
		     0, "%s", err.text);
}

Test(runner, gives_the_status_of_a_program)
{
	const char *const words[] = {"sh", "-c", "exit 7"};
	struct program_runner r;
	int status = 0;

	start(&r, -1);
	cr_assert_eq(program_runner_tell(&r, words, 3), 0);
	cr_assert(program_runner_take(&r, true, &status));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	cr_expect_not(program_runner_take(&r, true, &status), "there was one");
	program_runner_finish(&r);
}

#define MANY 20000 /* words, as the segments of a hold may be */

Test(runner, gives_a_program_very_many_words)
{
	static const char *words[4 + MANY] = {"sh", "-c", "test $# = 20000 && exit 7", "sh"};
	struct program_runner r;
	int status = 0;

	for (size_t i = 4; i < 4 + MANY; i++)
		words[i] = "/dev/shm/tstream.1000.1234567/held.2026112708301012";
	start(&r, -1);
	cr_assert_eq(program_runner_tell(&r, words, 4 + MANY), 0);
	cr_assert(program_runner_take(&r, true, &status));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "%#x", (unsigned int)status);
	program_runner_finish(&r);
}

Test(runner, clears_up_after_a_program_that_was_killed_alone)
{
	const char *const scripts[] = {"exit 1", "kill -9 $$", "exec sleep 60"};
	char path[] = "/tmp/tstream-runner-XXXXXX";
	const char *line[] = {"sh", "-c", NULL, path};
	struct program_runner r;
	int fd = mkstemp(path), status;

	cr_assert_geq(fd, 0);
	close(fd);
	for (size_t i = 0; i < 3; i++) {
		deadline_s = i == 2;
		start(&r, -1);
		line[2] = scripts[i];
		cr_assert_eq(program_runner_tell(&r, line, 4), 0);
		cr_assert(program_runner_take(&r, true, &status));
		cr_expect_eq(WIFSIGNALED(status), i > 0);
		program_runner_finish(&r);
		cr_expect_eq(access(path, F_OK), i ? -1 : 0);
		if (i)
			close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	unlink(path);
}

Test(runner, that_has_died_leaves_failures, .timeout = 60)
{
	const char *const words[] = {"sh", "-c", "kill -9 $PPID"};
	struct program_runner r;
	int status = 0;

	start(&r, -1);
	cr_assert_eq(program_runner_tell(&r, words, 3), 0);
	cr_assert(program_runner_take(&r, true, &status));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 127);
	cr_expect_not(program_runner_take(&r, true, &status));
	cr_expect_not(program_runner_take(&r, false, &status));
	cr_expect_eq(r.fd, -1, "nothing is to be polled");
	cr_expect_lt(program_runner_tell(&r, words, 3), 0);
	program_runner_finish(&r);
}

Test(runner, ends_beside_one_that_was_started_later, .timeout = 60)
{
	struct program_runner first, second;

	start(&first, -1);
	start(&second, -1);
	program_runner_finish(&first);
	program_runner_finish(&second);
}

Test(runner, has_programs_print_into_the_log)
{
	const char *const words[] = {"sh", "-c", "echo out; echo err >&2"};
	struct program_runner r;
	char said[16] = "";
	int fds[2], status;

	cr_assert_eq(pipe(fds), 0);
	start(&r, fds[1]);
	close(fds[1]);
	cr_assert_eq(program_runner_tell(&r, words, 3), 0);
	cr_assert(program_runner_take(&r, true, &status));
	program_runner_finish(&r);
	cr_assert_eq(read(fds[0], said, sizeof(said) - 1), 8);
	cr_expect_str_eq(said, "out\nerr\n");
	close(fds[0]);
}
