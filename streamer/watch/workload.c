// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/environment.h"

/* Returns 0 if `path` is a file that may be executed, else an errno. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return EACCES;
	return 0;
}

/*
 * Searches as execvp() will: the first match that may be executed; EACCES if there are only others.
 */
static int search_path(const char *name, const char *path)
{
	char file[PATH_MAX];
	int found = ENOENT;

	if (!path)
		path = "/bin:/usr/bin";
	while (*path) {
		size_t len = strcspn(path, ":");
		int code;

		snprintf(file, sizeof(file), "%.*s%s%s", (int)len, path, len ? "/" : "", name);
		code = check_file(file);
		if (!code)
			return 0;
		if (code == EACCES)
			found = EACCES;
		path += len + (path[len] == ':');
	}
	return found;
}

int workload_check(const char *name, char *const *environment, struct ts_error *err)
{
	const char *path = ts_environment_value(environment, "PATH");
	int code = strchr(name, '/') ? check_file(name) : search_path(name, path);

	return code ? ts_error_sys(err, code, "cannot run '%s'", name) : 0;
}

/* In the child, until the release. It calls only functions that are safe after fork. */
static void wait_and_execute(int hold_fd, int error_fd, char *const argv[],
			     const struct caller_state *caller)
{
	int code;
	char byte;

	if (read(hold_fd, &byte, 1) != 1)
		_exit(1);
	caller_state_restore(caller);
	execvp(argv[0], argv);
	code = errno;
	if (write(error_fd, &code, sizeof(code)) != (ssize_t)sizeof(code))
		_exit(126);
	_exit(127);
}

int workload_fork(struct workload *w, char *const argv[], const struct caller_state *caller,
		  struct ts_error *err)
{
	int hold[2], error[2], code;

	memset(w, 0, sizeof(*w));
	if (pipe2(hold, O_CLOEXEC) < 0)
		return ts_error_sys(err, errno, "cannot make a pipe for '%s'", argv[0]);
	if (pipe2(error, O_CLOEXEC) < 0) {
		code = errno;
		goto fail;
	}
	w->pid = fork();
	if (w->pid == 0) {
		close(hold[1]);
		close(error[0]);
		wait_and_execute(hold[0], error[1], argv, caller);
	}
	code = errno;
	close(error[1]);
	if (w->pid < 0) {
		close(error[0]);
		goto fail;
	}
	close(hold[0]);
	w->hold_fd = hold[1];
	w->error_fd = error[0];
	return 0;
fail:
	w->pid = 0;
	close(hold[0]);
	close(hold[1]);
	return ts_error_sys(err, code, "cannot start a process for '%s'", argv[0]);
}

static void close_fd(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = -1;
}

int workload_release(struct workload *w, struct ts_error *err)
{
	ssize_t n;
	int code = 0;

	if (write(w->hold_fd, "", 1) != 1)
		return ts_error_sys(err, errno, "cannot release the command");
	close_fd(&w->hold_fd);
	do
		n = read(w->error_fd, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	close_fd(&w->error_fd);
	if (n == (ssize_t)sizeof(code))
		return ts_error_sys(err, code, "cannot run the command");
	w->executed = true;
	return 0;
}

void workload_terminate(struct workload *w)
{
	if (w->pid > 0 && !w->ended)
		kill(w->pid, SIGTERM);
}

bool workload_has_ended(struct workload *w)
{
	if (w->pid <= 0)
		return false;
	if (!w->ended && waitpid(w->pid, &w->status, WNOHANG) == w->pid)
		w->ended = true;
	return w->ended;
}

int workload_exit_status(const struct workload *w)
{
	return WIFSIGNALED(w->status) ? 128 + WTERMSIG(w->status) : WEXITSTATUS(w->status);
}

void workload_close(struct workload *w)
{
	bool held = w->pid > 0 && !w->executed && !w->ended;

	close_fd(&w->hold_fd);
	close_fd(&w->error_fd);
	if (held && waitpid(w->pid, &w->status, 0) == w->pid) /* it ends at the closed pipe */
		w->ended = true;
}
