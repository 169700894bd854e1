/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of tracepoints that leaves the recorder itself out (--exclude-self): what its threads
 * do is no sample, so a recording of everything does not record its own recording.
 *
 * It names the threads by number, and the kernel's workers of their io_urings, which are made later,
 * by the name that the kernel gives them: iou-wrk- and the number of the thread they work for. A
 * filter is set once, the kernel refuses to change it, so all threads must have been started.
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
 * The expression for the threads that this process has now, as text that ends in NUL. -EOPNOTSUPP
 * within a PID namespace: filters compare the numbers outside of it, which nobody tells us.
 */
int self_filter_make(struct ts_bytes *ret, struct ts_error *err);

/* The same for any threads; their numbers ascend, nr is at least 1. */
void self_filter_put(struct ts_bytes *text, const pid_t *tids, size_t nr);

#endif
