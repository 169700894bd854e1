/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile that profiler.firefox.com and `samply load` open: each sample with its time, by thread.
 *
 * Written as version 60 of the processed format: each later viewer makes its own version of that.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_EXPORT_EXPORT_FIREFOX_H
#define TS_READER_EXPORT_EXPORT_FIREFOX_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

#define EXPORT_FIREFOX_THREADS 2000u	/* more make the viewer slow: the smallest are merged */
#define EXPORT_FIREFOX_SAMPLES 5000000u /* browsers run out of memory beyond */

/*
 * The source has bare paths and the times of samples. -EFBIG: browsers would not open it. -EPIPE: the
 * reader of standard output went away, and *err is not set.
 */
int export_firefox_write(const struct export_source *source, struct result_file *to,
			 struct ts_error *err);

#endif
