/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of tracepoints that leaves the recorder itself out (--exclude-self). Its threads make
 * no samples, so a recording of the whole system does not record itself.
 *
 * The filter names the threads by their numbers. The kernel makes the workers of their io_urings
 * later, so the filter names these by the name that the kernel gives them: iou-wrk- and the number
 * of the thread that they work for. The kernel refuses to change a filter. So all threads must run
 * before it is set.
 *
 * Threads: main thread.
 */
#ifndef TS_STREAMER_TARGETS_SELF_FILTER_H
#define TS_STREAMER_TARGETS_SELF_FILTER_H

#include <stddef.h>
#include <sys/types.h>

#include "common/base/bytes.h"
#include "common/base/error.h"

/*
 * Makes the expression for the present threads of this process, as text that ends in NUL.
 * -EOPNOTSUPP: the process is in a PID namespace. Filters compare the numbers outside of it, which
 * are unknown inside.
 */
int self_filter_make(struct ts_bytes *ret, struct ts_error *err);

/* The same for any threads. Their numbers ascend, and nr is at least 1. */
void self_filter_put(struct ts_bytes *text, const pid_t *tids, size_t nr);

#endif
