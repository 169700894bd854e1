// SPDX-License-Identifier: Apache-2.0
#include "streamer/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

/* Of the recorder's messages to its runner none is longer: a path that was opened. */
#define MESSAGE_BYTES PATH_MAX

/* --- the runner --- */

static void execute(const char *command, char *path, const struct watch_signals *signals)
{
	char *const argv[] = {(char *)(uintptr_t)command, path, NULL};
	int nothing = open("/dev/null", O_RDONLY);

	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	sigaction(SIGCHLD, &signals->sigchld, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Until it has ended or the deadline has come; SIGCHLD is blocked, so none is missed. */
static int wait_for(pid_t pid)
{
	uint64_t end_ns = ts_now_ns() + HOOK_DEADLINE_S * TS_NS_PER_SEC, now_ns;
	int status = 0;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		now_ns = ts_now_ns();
		if (now_ns < end_ns) {
			struct timespec left = ts_timespec(end_ns - now_ns);

			sigtimedwait(&child, NULL, &left);
			continue;
		}
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		break;
	}
	return status;
}

static void run(int fd, const char *command, const struct watch_signals *signals)
{
	char path[MESSAGE_BYTES + 1];
	ssize_t len;

	while ((len = recv(fd, path, MESSAGE_BYTES, 0)) > 0) {
		int status = 127 << 8;
		pid_t pid;

		path[len] = '\0';
		pid = fork();
		if (pid == 0)
			execute(command, path, signals);
		if (pid > 0)
			status = wait_for(pid);
		if (send(fd, &status, sizeof(status), MSG_NOSIGNAL) < 0)
			continue; /* the recorder is gone: what it told is done all the same */
	}
	_exit(0);
}

/* --- main --- */

int hook_start(struct hook *h, const char *command, const struct watch_signals *signals,
	       struct ts_error *err)
{
	int fds[2], code;

	*h = (struct hook){.command = command, .fd = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return ts_error_sys(err, errno, "cannot make a socket for '%s'", command);
	h->pid = fork();
	if (h->pid == 0) {
		close(fds[0]);
		run(fds[1], command, signals);
	}
	code = errno;
	close(fds[1]);
	h->fd = fds[0];
	if (h->pid > 0)
		return 0;
	hook_close(h);
	return ts_error_sys(err, code, "cannot start a process for '%s'", command);
}

void hook_tell(struct hook *h, const char *path, struct ts_notes *notes)
{
	if (h->fd < 0 || !h->command)
		return;
	hook_collect(h, notes);
	if (h->waiting < HOOK_WAITING_MAX &&
	    send(h->fd, path, strlen(path), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
		h->waiting++;
		return;
	}
	ts_notes_add(notes, "%s was not run for %s: it still runs for %u others", h->command, path,
		     h->waiting);
}

static void note_status(const struct hook *h, int status, struct ts_notes *notes)
{
	if (WIFSIGNALED(status))
		ts_notes_add(notes, "%s (--on-snapshot) was ended by signal %d%s", h->command,
			     WTERMSIG(status),
			     WTERMSIG(status) == SIGKILL ? ", as after its deadline" : "");
	else if (WEXITSTATUS(status))
		ts_notes_add(notes, "%s (--on-snapshot) failed with status %d", h->command,
			     WEXITSTATUS(status));
}

/* False: there is no answer, and with `flags` 0 there will be none. */
static bool take_answer(struct hook *h, int flags, struct ts_notes *notes)
{
	int status;

	if (h->fd < 0 || !h->waiting ||
	    recv(h->fd, &status, sizeof(status), flags) != (ssize_t)sizeof(status))
		return false;
	h->waiting--;
	note_status(h, status, notes);
	return true;
}

void hook_collect(struct hook *h, struct ts_notes *notes)
{
	while (take_answer(h, MSG_DONTWAIT, notes))
		;
}

void hook_finish(struct hook *h, struct ts_notes *notes)
{
	while (take_answer(h, 0, notes))
		;
	hook_close(h);
	if (h->pid > 0)
		waitpid(h->pid, NULL, 0);
	h->pid = 0;
}

void hook_close(struct hook *h)
{
	if (h->command && h->fd >= 0)
		close(h->fd);
	h->fd = -1;
}
