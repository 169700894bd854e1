// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/program_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

#define UNKNOWN_STATUS (127 << 8) /* the same as for a program that was not found */

/* --- the process --- */

static void split_words(char *words, size_t len, char **argv)
{
	size_t nr = 0;

	for (size_t at = 0; at < len && nr < PROGRAM_RUNNER_WORDS_MAX; at += strlen(words + at) + 1)
		argv[nr++] = words + at;
	argv[nr] = NULL;
}

static void execute_program(char *const *argv, const struct caller_state *caller)
{
	int nothing = open("/dev/null", O_RDONLY);

	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	caller_state_restore(caller);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Waits for the end of the program or the deadline. SIGCHLD is blocked, so none is missed. */
static int wait_for(pid_t pid, unsigned int deadline_s)
{
	uint64_t end_ns = ts_clock_now_ns() + deadline_s * TS_NS_PER_SEC, now_ns;
	int status = 0;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waitpid(pid, &status, deadline_s ? WNOHANG : 0) == 0) {
		now_ns = ts_clock_now_ns();
		if (now_ns < end_ns) {
			struct timespec left = ts_clock_timespec(end_ns - now_ns);

			sigtimedwait(&child, NULL, &left);
			continue;
		}
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		break;
	}
	return status;
}

/*
 * If the recorder is killed, the runner lives on while its program runs. It must not keep the other
 * descriptors of the recorder open, above all the socket by which others find the recorder.
 */
static int keep_only(int fd)
{
	const int kept = STDERR_FILENO + 1;

	if (fd != kept && dup3(fd, kept, O_CLOEXEC) < 0)
		return fd;
	close_range((unsigned int)kept + 1, ~0U, 0);
	return kept;
}

/* Its output may be on a server that has gone: so this has a process and a deadline, too. */
static void clear_output(const struct program_runner_plan *plan, char *const *argv)
{
	pid_t pid = plan->clear ? fork() : -1;

	if (pid == 0) {
		plan->clear(argv);
		_exit(0);
	}
	if (pid > 0)
		wait_for(pid, PROGRAM_RUNNER_CLEAR_S);
}

static int run_program(const struct program_runner_plan *plan, char *const *argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		execute_program(argv, plan->caller);
	if (pid < 0)
		return UNKNOWN_STATUS;
	status = wait_for(pid, plan->deadline_s);
	if (WIFSIGNALED(status))
		clear_output(plan, argv);
	return status;
}

static void serve_requests(int fd, const struct program_runner_plan *plan)
{
	char words[PROGRAM_RUNNER_MESSAGE_BYTES + 1], *argv[PROGRAM_RUNNER_WORDS_MAX + 1];
	ssize_t len;

	while ((len = recv(fd, words, PROGRAM_RUNNER_MESSAGE_BYTES, 0)) > 0) {
		int status;

		words[len] = '\0';
		split_words(words, (size_t)len, argv);
		status = run_program(plan, argv);
		if (send(fd, &status, sizeof(status), MSG_NOSIGNAL) < 0)
			continue; /* the recorder is gone: the programs run all the same */
	}
	_exit(0);
}

/* --- main --- */

/*
 * Otherwise the runner would keep the output of a daemon's caller open, and a reader of this output
 * would wait for the runner.
 */
static void print_to(int log_fd)
{
	if (log_fd < 0)
		return;
	dup2(log_fd, STDOUT_FILENO);
	dup2(log_fd, STDERR_FILENO);
}

int program_runner_start(struct program_runner *r, const struct program_runner_plan *plan,
			 struct ts_error *err)
{
	int fds[2], code;

	*r = (struct program_runner)PROGRAM_RUNNER_INIT;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return ts_error_sys(err, errno, "cannot make a socket for %s", plan->what);
	r->pid = fork();
	if (r->pid == 0) {
		close(fds[0]);
		print_to(plan->log_fd);
		serve_requests(keep_only(fds[1]), plan);
	}
	code = errno;
	close(fds[1]);
	r->fd = fds[0];
	if (r->pid > 0)
		return 0;
	program_runner_close(r);
	return ts_error_sys(err, code, "cannot start a process for %s", plan->what);
}

int program_runner_tell(struct program_runner *r, const char *const *words, size_t nr)
{
	char message[PROGRAM_RUNNER_MESSAGE_BYTES];
	size_t len = 0;

	if (nr > PROGRAM_RUNNER_WORDS_MAX)
		return -EAGAIN;
	for (size_t i = 0; i < nr; i++) {
		size_t bytes = strlen(words[i]) + 1;

		if (bytes > sizeof(message) - len)
			return -EAGAIN;
		memcpy(message + len, words[i], bytes);
		len += bytes;
	}
	if (send(r->fd, message, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -EAGAIN;
	r->waiting++;
	return 0;
}

/* The runner has died: the results of its programs are unknown. */
static bool give_up_one(struct program_runner *r, int *ret_status)
{
	*ret_status = UNKNOWN_STATUS;
	return r->waiting && r->waiting--;
}

bool program_runner_take(struct program_runner *r, bool waits, int *ret_status)
{
	ssize_t len;

	if (r->fd < 0)
		return give_up_one(r, ret_status);
	if (waits && !r->waiting)
		return false;
	do
		len = recv(r->fd, ret_status, sizeof(*ret_status), waits ? 0 : MSG_DONTWAIT);
	while (len < 0 && errno == EINTR);
	if (len < 0 && errno == EAGAIN)
		return false;
	if (len == (ssize_t)sizeof(*ret_status)) {
		r->waiting--;
		return true;
	}
	program_runner_close(r);
	return give_up_one(r, ret_status);
}

void program_runner_finish(struct program_runner *r)
{
	program_runner_close(r);
	if (r->pid > 0)
		waitpid(r->pid, NULL, 0);
	r->pid = 0;
}

void program_runner_close(struct program_runner *r)
{
	if (r->fd >= 0) {
		/* A runner that was forked later holds this socket, too. */
		shutdown(r->fd, SHUT_WR);
		close(r->fd);
	}
	r->fd = -1;
}
