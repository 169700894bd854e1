// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/log.h"

/* set by systemd if it reads stderr itself */
#define JOURNAL_VARIABLE "JOURNAL_STREAM"

/*
 * Opens a log that exists. Another user may have put something there: a FIFO would have us wait, a
 * further name of our file would have us write into it. So it is looked at before it is opened.
 */
static int open_existing(const char *path, struct ts_error *err)
{
	const int looked = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	const char *what = NULL;
	char link[32];
	struct stat st;
	int fd;

	if (looked < 0 || fstat(looked, &st))
		return ts_error_sys(err, errno, "cannot open the log %s", path);
	if (!S_ISREG(st.st_mode))
		what = "is no regular file";
	else if (st.st_uid != geteuid())
		what = "belongs to another user";
	else if (st.st_nlink != 1)
		what = "has another name, too";
	snprintf(link, sizeof(link), "/proc/self/fd/%d", looked);
	fd = what ? -1 : open(link, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (what)
		ts_error_set(err, EEXIST, "cannot open the log %s: it %s", path, what);
	else if (fd < 0)
		ts_error_sys(err, errno, "cannot open the log %s", path);
	close(looked);
	return fd >= 0 ? fd : ts_error_hint(err, "name another output with -o");
}

static int open_log(struct daemon *d, const char *output, struct ts_error *err)
{
	size_t len = strlen(output);
	char *path;

	if (getenv(JOURNAL_VARIABLE))
		return 0;
	while (len > 1 && output[len - 1] == '/')
		len--;
	if (asprintf(&path, "%.*s.log", (int)len, output) < 0)
		return ts_error_sys(err, ENOMEM, "cannot make a log");
	d->log_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (d->log_fd < 0 && errno == EEXIST)
		d->log_fd = open_existing(path, err);
	else if (d->log_fd < 0)
		ts_error_sys(err, errno, "cannot open the log %s", path);
	free(path);
	return d->log_fd < 0 ? -err->code : 0;
}

/* In the caller: waits until the daemon records or has ended. */
static int wait_for(pid_t pid, int fd, const char *output)
{
	char byte;
	ssize_t n;
	int status;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1) {
		ts_log_note("process %d records: see 'tstream ctl %s status'", (int)pid, output);
		return EXIT_SUCCESS;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* In the daemon: no terminal, and nothing to read. */
static void leave_terminal(void)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	if (nothing > STDIN_FILENO)
		close(nothing);
}

int daemon_begin(struct daemon *d, const char *output, int *ret_status, struct ts_error *err)
{
	int fds[2];
	pid_t pid;

	if (open_log(d, output, err) < 0)
		return -err->code;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return ts_error_sys(err, errno, "cannot make a pipe");
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return ts_error_sys(err, errno, "cannot fork the daemon");
	}
	if (pid > 0) {
		close(fds[1]);
		*ret_status = wait_for(pid, fds[0], output);
		close(fds[0]);
		return 0;
	}
	close(fds[0]);
	d->ready_fd = fds[1];
	leave_terminal();
	return 1;
}

void daemon_ready(struct daemon *d)
{
	ssize_t rc;

	if (d->ready_fd < 0)
		return;
	if (d->log_fd >= 0) {
		dup2(d->log_fd, STDOUT_FILENO);
		dup2(d->log_fd, STDERR_FILENO);
		close(d->log_fd);
	}
	rc = write(d->ready_fd, "!", 1); /* a caller that has gone needs no answer */
	(void)rc;
	close(d->ready_fd);
	*d = (struct daemon)DAEMON_INIT;
}
