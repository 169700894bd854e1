/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of registers, as -I and --user-regs take them, and their bits in attr.sample_regs_*.
 *
 * Threads: pure functions.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_REGS_H
#define TS_STREAMER_EVENTS_EVENT_REGS_H

#include <stdint.h>

#include "common/base/error.h"

/*
 * Every register that the kernel gives of user mode: what unwinding may need (perf_regs.h of each
 * architecture; on x86 without ds, es, fs, gs). 0: they are not known, and no stack can be unwound.
 */
#if defined(__x86_64__)
#define EVENT_REGS_ALL 0xff0fffULL
#elif defined(__aarch64__)
#define EVENT_REGS_ALL ((1ULL << 33) - 1)
#elif defined(__riscv)
#define EVENT_REGS_ALL ((1ULL << 32) - 1)
#else
#define EVENT_REGS_ALL 0ULL
#endif

/*
 * Reads "ip,sp,ax", in any case; NULL is all of them. -EINVAL for a name that is none, with all that
 * there are, and where the architecture's are not known. `option` is named in the sentence.
 */
int event_parse_regs(const char *option, const char *text, uint64_t *ret, struct ts_error *err);

#endif
