// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/line_output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file_io.h"

static bool may_wait(int fd)
{
	struct stat st;

	return isatty(fd) || (!fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)));
}

/* As many whole lines as a pipe takes at once. A line that is longer than that is one piece. */
static size_t next_piece(const char *text, size_t len)
{
	size_t piece = PIPE_BUF;
	const char *end;

	if (len <= PIPE_BUF)
		return len;
	while (piece && text[piece - 1] != '\n')
		piece--;
	if (piece)
		return piece;
	end = memchr(text, '\n', len);
	return end ? (size_t)(end + 1 - text) : len;
}

int line_output_write(int fd, const struct progress *p, const void *text, size_t len)
{
	const char *at = text, *end = at + len;
	int rc = 0;

	if (!p || !may_wait(fd))
		return ts_file_write_all(fd, text, len);
	while (!rc && at < end) {
		struct pollfd fds[] = {{.fd = fd, .events = POLLOUT},
				       {.fd = p->stop.fd, .events = POLLIN}};
		const size_t piece = next_piece(at, (size_t)(end - at));

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (progress_is_stopped(p))
			return -EINTR;
		if (!fds[0].revents)
			continue;
		rc = ts_file_write_all(fd, at, piece);
		at += piece;
	}
	return rc;
}
