/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf record's options that this recorder does not have (common/base/perf_options.h): what its writers
 * always do is accepted with a note, everything else is refused.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_STREAMER_PLAN_RECORD_PERF_OPTIONS_H
#define TS_STREAMER_PLAN_RECORD_PERF_OPTIONS_H

#include "common/base/perf_options.h"

/* Fills it in; it must outlive the parsing. */
void record_perf_options_init(struct ts_perf_options *p);

#endif
