/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of perf script that do not exist here. Options that ask for the normal behaviour get a
 * note; the others are refused with a sentence that tells what to do instead.
 *
 * Threads: constant.
 */
#ifndef TS_READER_SCRIPT_SCRIPT_PERF_OPTIONS_H
#define TS_READER_SCRIPT_SCRIPT_PERF_OPTIONS_H

#include "common/options/option.h"

extern const struct ts_option script_perf_rows[];

#endif
