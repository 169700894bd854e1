/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf script's options that this one does not have (perf_options.h).
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_READER_SCRIPT_SCRIPT_PERF_OPTIONS_H
#define TS_READER_SCRIPT_SCRIPT_PERF_OPTIONS_H

#include "common/base/perf_options.h"

/* Fills it in; it must outlive the parsing. */
void script_perf_options_init(struct ts_perf_options *p);

#endif
