/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf script's options that this one does not have: what is always so is noted, the rest is refused in a
 * sentence that says what to do instead.
 *
 * Threads: constant.
 */
#ifndef TS_READER_SCRIPT_SCRIPT_PERF_OPTIONS_H
#define TS_READER_SCRIPT_SCRIPT_PERF_OPTIONS_H

#include "common/options/option.h"

extern const struct ts_option script_perf_rows[];

#endif
