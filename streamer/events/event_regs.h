/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of registers for -I and --user-regs, and their bits in attr.sample_regs_*.
 *
 * Threads: pure functions.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_REGS_H
#define TS_STREAMER_EVENTS_EVENT_REGS_H

#include <stdint.h>

#include "common/base/error.h"

/*
 * All registers of user mode that the kernel records. Unwinding may need them. (Source: perf_regs.h
 * of each architecture; on x86 without ds, es, fs, gs.) 0: they are not known, and no stack can be
 * unwound.
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
 * Parses "ip,sp,ax", in any case; NULL means all registers. -EINVAL for an unknown name, with a
 * list of all names, and if those of the architecture are not known. `option` is named in the
 * message.
 */
int event_parse_regs(const char *option, const char *text, uint64_t *ret, struct ts_error *err);

#endif
