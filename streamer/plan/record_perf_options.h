/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf record's options that `tstream record` does not have. If an option's purpose is always met,
 * it is accepted with a note. The others are refused in a sentence with what to do instead.
 *
 * Threads: constant.
 */
#ifndef TS_STREAMER_PLAN_RECORD_PERF_OPTIONS_H
#define TS_STREAMER_PLAN_RECORD_PERF_OPTIONS_H

#include "common/options/option.h"

extern const struct ts_option record_perf_rows[];

#endif
