/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf(2), which the C library does not wrap.
 *
 * Threads: pure functions, but for what the kernel does.
 */
#ifndef TS_STREAMER_MACHINE_BPF_H
#define TS_STREAMER_MACHINE_BPF_H

#include <linux/bpf.h>
#include <stdint.h>

/* What the kernel answers: 0, or a descriptor (close-on-exec) that is the caller's; -errno. */
int bpf_call(enum bpf_cmd cmd, union bpf_attr *attr);
/*
 * Asks for what a descriptor is of: `info` has `len` bytes and is the struct of that kind, zeroed but
 * for where the answer goes. -errno.
 */
int bpf_ask_info(int fd, void *info, uint32_t len);

#endif
