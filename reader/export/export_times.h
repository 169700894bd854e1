/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For formats that show time: the samples of the event by thread, the threads with their names,
 * and when samples were lost.
 *
 * Threads: main thread only; immutable once made.
 */
#ifndef TS_READER_EXPORT_EXPORT_TIMES_H
#define TS_READER_EXPORT_EXPORT_TIMES_H

#include "common/base/error.h"
#include "reader/page/named_threads.h"
#include "reader/page/timed_gaps.h"
#include "reader/page/timed_samples.h"
#include "reader/report/report_head.h"

#define EXPORT_TIMES_ALL    UINT32_MAX /* no limit: the viewer has none */
#define EXPORT_TIMES_EVENTS UINT32_MAX /* in place of an event */

struct export_times_limits {   /* of a format */
	uint32_t most_threads; /* at least 2: the others are merged; 0: it shows no time */
	uint64_t most_samples; /* its viewers open no more; EXPORT_TIMES_ALL: any number */
	bool without_gaps;     /* it does not show when samples were lost */
};

struct export_times {
	struct timed_samples samples;
	struct named_threads threads;
	struct timed_gaps gaps; /* zeroed, if the format is without them */
};

/*
 * The paths of the event, or of all events, were made with_places, of samples that the reading has logged. head: that of
 * the reading; it must outlive *t. -EINVAL: the samples have no times; -EFBIG: there are too many.
 * *t is zeroed; the caller releases it in any case.
 */
int export_times_init(struct export_times *t, const struct report_run *r,
		      const struct report_head *head, uint32_t event,
		      const struct stack_paths *paths, const struct export_times_limits *limits,
		      struct ts_error *err);
/* The mean time between samples of the thread with the most; 0: it has one, or there are none. */
uint64_t export_times_interval_ns(const struct export_times *t);
void export_times_release(struct export_times *t); /* accepts a zeroed one; idempotent */

#endif
