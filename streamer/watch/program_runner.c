// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/program_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

#define UNKNOWN_STATUS (127 << 8) /* the same as for a program that was not found */

/* --- the process --- */

/* Returns the words as an argv, which the caller frees; NULL: out of memory. */
static char **split_words(char *words, size_t len)
{
	size_t nr = 0;
	char **argv;

	for (size_t at = 0; at < len; at += strlen(words + at) + 1)
		nr++;
	argv = calloc(nr + 1, sizeof(*argv));
	nr = 0;
	for (size_t at = 0; argv && at < len; at += strlen(words + at) + 1)
		argv[nr++] = words + at;
	return argv;
}

static void execute_program(char *const *argv, const struct caller_state *caller)
{
	int nothing = open("/dev/null", O_RDONLY);

	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	caller_state_restore(caller);
	execvp(argv[0], argv);
	if (errno == E2BIG)
		_exit(PROGRAM_RUNNER_TOO_LONG);
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

/* Runs the program whose words are in the memfd. */
static int run_words(const struct program_runner_plan *plan, int words_fd)
{
	int status = UNKNOWN_STATUS;
	char **argv, *words;
	struct stat st;

	if (fstat(words_fd, &st) || st.st_size == 0)
		return status;
	words = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, words_fd, 0);
	if (words == MAP_FAILED)
		return status;
	argv = split_words(words, (size_t)st.st_size);
	if (argv)
		status = run_program(plan, argv);
	free(argv);
	munmap(words, (size_t)st.st_size);
	return status;
}

union fd_control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* False: main has closed its socket. *ret_fd is -1 if there was no descriptor left for it. */
static bool receive_words(int fd, int *ret_fd)
{
	union fd_control control = {0};
	char byte;
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	const struct cmsghdr *header;

	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) <= 0)
		return false;
	header = CMSG_FIRSTHDR(&message);
	*ret_fd = -1;
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(header), sizeof(*ret_fd));
	return true;
}

static void serve_requests(int fd, const struct program_runner_plan *plan)
{
	int words_fd;

	while (receive_words(fd, &words_fd)) {
		int status = run_words(plan, words_fd);

		if (words_fd >= 0)
			close(words_fd);
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

/* Returns a memfd with the words, each with its NUL, or -ENOMEM. */
static int put_words(const char *const *words, size_t nr)
{
	size_t bytes = 0, len = 0;
	int fd = memfd_create("tstream-words", MFD_CLOEXEC);
	char *text;

	for (size_t i = 0; i < nr; i++)
		bytes += strlen(words[i]) + 1;
	text = malloc(bytes);
	for (size_t i = 0; text && i < nr; i++)
		len = (size_t)(stpcpy(text + len, words[i]) + 1 - text);
	if (fd >= 0 && (!text || write(fd, text, bytes) != (ssize_t)bytes)) {
		close(fd);
		fd = -1;
	}
	free(text);
	return fd < 0 ? -ENOMEM : fd;
}

static int send_words(int fd, int words_fd)
{
	union fd_control control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
					       .cmsg_level = SOL_SOCKET,
					       .cmsg_type = SCM_RIGHTS}};
	struct iovec part = {.iov_base = (char[]){0}, .iov_len = 1};
	const struct msghdr message = {.msg_iov = &part,
				       .msg_iovlen = 1,
				       .msg_control = &control,
				       .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.header), &words_fd, sizeof(words_fd));
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -EAGAIN : 0;
}

int program_runner_tell(struct program_runner *r, const char *const *words, size_t nr)
{
	const int words_fd = put_words(words, nr);
	int code;

	if (words_fd < 0)
		return words_fd;
	code = send_words(r->fd, words_fd);
	close(words_fd);
	if (!code)
		r->waiting++;
	return code;
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
