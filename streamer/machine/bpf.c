// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/bpf.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int bpf_call(enum bpf_cmd cmd, union bpf_attr *attr)
{
	long got = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return got < 0 ? -errno : (int)got;
}

int bpf_ask_info(int fd, void *info, uint32_t len)
{
	union bpf_attr attr = {.info = {.bpf_fd = (uint32_t)fd,
					.info_len = len,
					.info = (uint64_t)(uintptr_t)info}};

	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}
