// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "streamer/triggers/trigger_parts.h"

static int hint_open(struct ts_error *err)
{
	if (err->code == ENOENT || err->code == EOPNOTSUPP)
		return ts_error_hint(err,
				     "this kernel does not measure pressure: it takes "
				     "CONFIG_PSI, and psi=1 at boot if that is off by default");
	if (err->code == EPERM || err->code == EACCES)
		return ts_error_hint(err,
				     "kernels before 6.4 want CAP_SYS_RESOURCE; a container may "
				     "hide the file or have it read-only");
	return -err->code;
}

int trigger_psi_open(const struct trigger_psi *psi, struct ts_error *err)
{
	char path[64], words[64];
	int fd, code, len;

	snprintf(path, sizeof(path), "/proc/pressure/%s", psi->resource);
	len = snprintf(words, sizeof(words), "some %llu %llu", (unsigned long long)psi->stall_us,
		       (unsigned long long)psi->window_us);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		ts_error_sys(err, errno, "cannot use --trigger '%s': cannot open %s", psi->text,
			     path);
		return hint_open(err);
	}
	if (write(fd, words, (size_t)len + 1) >= 0)
		return fd;
	code = errno;
	close(fd);
	ts_error_sys(err, code, "cannot use --trigger '%s': the kernel refuses it", psi->text);
	return code == EINVAL ? ts_error_hint(err, "the window must be 500ms to 10s, and without "
						   "CAP_SYS_RESOURCE a multiple of 2s")
			      : -code;
}
