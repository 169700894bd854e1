// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/perf_control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_spec(const char *spec, struct ts_error *err)
{
	ts_error_set(err, EINVAL,
		     "cannot use --control '%s': it must be fd:N[,M] or fifo:PATH[,PATH]", spec);
	return -EINVAL;
}

/* Parses a descriptor number and its terminator (',' or the end). */
static bool take_fd(const char **at, int *ret_fd)
{
	char *end;
	long n;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	n = strtol(*at, &end, 10);
	if (errno || n > 1 << 20 || (*end && *end != ','))
		return false;
	*ret_fd = (int)n;
	*at = end;
	return true;
}

/* Parses the numbers of fd:N[,M]; M is -1 if it is not given. */
static bool parse_fds(const char *spec, int *ret_command, int *ret_ack)
{
	const char *at = spec + strlen("fd:");

	*ret_ack = -1;
	if (!take_fd(&at, ret_command))
		return false;
	if (!*at)
		return true;
	at++;
	return take_fd(&at, ret_ack) && !*at;
}

static bool is_fd_spec(const char *spec)
{
	return !strncmp(spec, "fd:", strlen("fd:"));
}

static bool is_fifo_spec(const char *spec)
{
	return !strncmp(spec, "fifo:", strlen("fifo:"));
}

int perf_control_check(const char *spec, struct ts_error *err)
{
	const char *path;
	int command, ack;

	if (is_fd_spec(spec))
		return parse_fds(spec, &command, &ack) ? 0 : refuse_spec(spec, err);
	if (!is_fifo_spec(spec))
		return refuse_spec(spec, err);
	path = spec + strlen("fifo:");
	if (!*path || *path == ',' || path[strlen(path) - 1] == ',')
		return refuse_spec(spec, err);
	return 0;
}

static int adopt_fd(int fd, struct ts_error *err)
{
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
		ts_error_sys(err, errno, "cannot use descriptor %d for --control", fd);
		return ts_error_hint(err, "the process that starts tstream must leave it open");
	}
	return fd;
}

/* Anybody may have made a FIFO in a folder that others can write to; ctl trusts the same users. */
static int check_fifo(int fd, const char *path, struct ts_error *err)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return ts_error_set(err, EINVAL, "cannot use '%s' for --control: it is not a fifo",
				    path);
	if (st.st_uid == 0 || st.st_uid == geteuid())
		return 0;
	ts_error_set(err, EPERM, "cannot use '%s' for --control: it belongs to user %u", path,
		     st.st_uid);
	return ts_error_hint(err, "make one with mkfifo, and let that user write to it");
}

static int open_fifo(const char *path, struct ts_error *err)
{
	/*
	 * for reading and writing, as perf does: no wait for a peer, no end of file when it leaves
	 */
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int rc;

	if (fd < 0) {
		ts_error_sys(err, errno, "cannot open the control fifo '%s'", path);
		return ts_error_hint(err, "make it with: mkfifo %s", path);
	}
	rc = check_fifo(fd, path, err);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static int open_fifos(struct perf_control *c, const char *paths, struct ts_error *err)
{
	char *command = strdup(paths), *ack;
	int fd;

	if (!command)
		return ts_error_sys(err, ENOMEM, "cannot open the control fifo '%s'", paths);
	ack = strchr(command, ',');
	if (ack)
		*ack++ = '\0';
	c->owns_fds = true;
	fd = c->command_fd = open_fifo(command, err);
	if (fd >= 0 && ack)
		fd = c->ack_fd = open_fifo(ack, err);
	free(command);
	if (fd >= 0)
		return 0;
	perf_control_close(c);
	return fd;
}

int perf_control_open(struct perf_control *c, const char *spec, struct ts_error *err)
{
	int code = perf_control_check(spec, err);

	*c = (struct perf_control){.command_fd = -1, .ack_fd = -1};
	if (code < 0)
		return code;
	if (is_fifo_spec(spec))
		return open_fifos(c, spec + strlen("fifo:"), err);
	parse_fds(spec, &c->command_fd, &c->ack_fd);
	if ((code = adopt_fd(c->command_fd, err)) < 0 ||
	    (c->ack_fd >= 0 && (code = adopt_fd(c->ack_fd, err)) < 0)) {
		c->command_fd = c->ack_fd = -1;
		return code;
	}
	return 0;
}

/* The line is complete; one that is too long counts as empty. */
static enum perf_control_line end_line(struct perf_control *c, char *line)
{
	memcpy(line, c->line, c->len);
	line[c->is_too_long ? 0 : c->len] = '\0';
	c->len = 0;
	c->is_too_long = false;
	return PERF_CONTROL_LINE;
}

static bool has_begun(const struct perf_control *c)
{
	return c->len || c->is_too_long;
}

/* Reads a byte, if one is there now: 1; 0: none; -1: the other side hung up. */
static int read_byte(int fd, char *byte)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, 0) <= 0)
		return 0;
	n = p.revents & POLLIN ? read(fd, byte, 1) : 0;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	return n > 0 ? 1 : -1;
}

enum perf_control_line perf_control_next(struct perf_control *c, uint64_t now_ns, char *line)
{
	for (size_t i = 0; i < PERF_CONTROL_LINE_BYTES; i++) {
		char byte;
		const int rc = read_byte(c->command_fd, &byte);

		if (!has_begun(c) && rc <= 0)
			return rc ? PERF_CONTROL_HUNG_UP : PERF_CONTROL_NOTHING;
		if (rc < 0 || (rc == 0 && now_ns >= c->due_ns))
			return end_line(c, line);
		if (rc == 0)
			return PERF_CONTROL_NOTHING;
		if (byte == '\n' || byte == '\0')
			return end_line(c, line);
		c->due_ns = now_ns + PERF_CONTROL_REST_NS;
		if (c->len + 1 < PERF_CONTROL_LINE_BYTES)
			c->line[c->len++] = byte;
		else
			c->is_too_long = true;
	}
	return PERF_CONTROL_NOTHING;
}

uint64_t perf_control_due_ns(const struct perf_control *c)
{
	return has_begun(c) ? c->due_ns : TS_TIME_NEVER;
}

void perf_control_acknowledge(struct perf_control *c)
{
	static const char ack[] = "ack\n"; /* five bytes: the NUL is sent, too */
	struct pollfd p = {.fd = c->ack_fd, .events = POLLOUT};

	/* A pipe that is ready takes all five; another that is full would stop main, also for signals. */
	if (c->ack_fd < 0 || poll(&p, 1, 0) <= 0)
		return;
	if (write(c->ack_fd, ack, sizeof(ack)) < 0)
		c->ack_fd = c->owns_fds ? c->ack_fd : -1;
}

void perf_control_close(struct perf_control *c)
{
	if (c->owns_fds && c->command_fd >= 0)
		close(c->command_fd);
	if (c->owns_fds && c->ack_fd >= 0)
		close(c->ack_fd);
	*c = (struct perf_control){.command_fd = -1, .ack_fd = -1};
}
