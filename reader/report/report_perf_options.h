/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf report's options that this one does not have (perf_options.h).
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_READER_REPORT_REPORT_PERF_OPTIONS_H
#define TS_READER_REPORT_REPORT_PERF_OPTIONS_H

#include "common/base/perf_options.h"

/* Fills it in; it must outlive the parsing. */
void report_perf_options_init(struct ts_perf_options *p);

#endif
