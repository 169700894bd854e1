/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls bpf(2), for which the C library has no function.
 *
 * Threads: pure functions, except for their effects in the kernel.
 */
#ifndef TS_STREAMER_MACHINE_BPF_H
#define TS_STREAMER_MACHINE_BPF_H

#include <linux/bpf.h>
#include <stdint.h>

/* Returns the kernel's answer: 0, a descriptor (close-on-exec) that is the caller's, or -errno. */
int bpf_call(enum bpf_cmd cmd, union bpf_attr *attr);
/*
 * Reads the description of the object behind a descriptor. `info` has `len` bytes and is the struct
 * for that kind of object. The caller zeroes it, except for pointers and sizes of buffers for the
 * answer. Returns 0 or -errno.
 */
int bpf_ask_info(int fd, void *info, uint32_t len);

#endif
