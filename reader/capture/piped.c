// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/piped.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "reader/runtime/temporary_file.h"

#define BLOCK_BYTES (64u << 10) /* as much as a pipe holds */

static int refuse_terminal(struct ts_error *err)
{
	ts_error_set(err, EINVAL, "cannot read standard input: it is a terminal");
	return ts_error_hint(err, "pipe a capture into it, as in perf record -o - COMMAND | "
				  "tstream report -i -");
}

static int copy_pipe(int to, const char *folder, struct ts_error *err)
{
	uint8_t block[BLOCK_BYTES];
	ssize_t got;
	int rc = 0;

	while (!rc && (got = read(STDIN_FILENO, block, sizeof(block)))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ts_error_sys(err, errno, "cannot read standard input");
		rc = ts_file_write_all(to, block, (size_t)got);
	}
	if (!rc)
		return 0;
	ts_error_sys(err, -rc, "cannot store standard input in %s", folder);
	return ts_error_hint(err, "make room there, or set TMPDIR to another folder");
}

static int open_copy(struct map *m, struct ts_error *err)
{
	const char *folder = temporary_folder();
	int fd = temporary_file_open(folder), rc;

	if (fd < 0) {
		ts_error_sys(err, errno, "cannot make a file in %s", folder);
		return ts_error_hint(err, "set TMPDIR to another folder");
	}
	rc = copy_pipe(fd, folder, err);
	if (!rc)
		rc = map_open_fd(m, fd, PIPED_PATH, err);
	close(fd);
	return rc;
}

int piped_open(struct map *m, struct ts_error *err)
{
	struct stat st;

	*m = (struct map){0};
	if (fstat(STDIN_FILENO, &st))
		return ts_error_sys(err, errno, "cannot read standard input");
	if (S_ISREG(st.st_mode))
		return map_open_fd(m, STDIN_FILENO, PIPED_PATH, err);
	return isatty(STDIN_FILENO) ? refuse_terminal(err) : open_copy(m, err);
}
