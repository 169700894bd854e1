/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option --unwind of report and script.
 *
 * Threads: constant.
 */
#ifndef TS_READER_SAMPLES_UNWIND_OPTIONS_H
#define TS_READER_SAMPLES_UNWIND_OPTIONS_H

#include "common/options/option.h"

/* Writes an enum unwind_way. */
extern const struct ts_option unwind_rows[];

#endif
