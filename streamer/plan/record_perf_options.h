/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf record's options that this one does not have: what is always so is noted, the rest is refused in a
 * sentence that says what to do instead.
 *
 * Threads: constant.
 */
#ifndef TS_STREAMER_PLAN_RECORD_PERF_OPTIONS_H
#define TS_STREAMER_PLAN_RECORD_PERF_OPTIONS_H

#include "common/options/option.h"

extern const struct ts_option record_perf_rows[];

#endif
