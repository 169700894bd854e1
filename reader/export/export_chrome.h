/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace Event JSON, which people call a Chrome trace, compressed by gzip. A thread is a track. The calls that its
 * samples show are slices (`X`) that nest, each with the kind of its function as `cat`.
 *
 *	samples    10 main;read    11 main;read    12 main;write       20 main
 *	slices     [main                                      ]  [main        ]
 *	           [read                     ][write          ]
 *
 * A sample stands for the time since the one before of its thread, if that is the time between samples or at most
 * a fourth more. Otherwise it stands for the time between samples, and a pause is before it. This time is the
 * period of a sample of a clock; of other events the frequency tells it, or the mean of the largest
 * thread. So slices show when something ran, and no weights: periods of other events do not appear.
 * Begins are whole microseconds, since viewers add and compare times as real numbers.
 *
 * Source: "Trace Event Format" of the Chromium project; importers of Perfetto, speedscope and the
 * Firefox profiler.
 *
 * Threads: main thread only; the file is compressed by several.
 */
#ifndef TS_READER_EXPORT_EXPORT_CHROME_H
#define TS_READER_EXPORT_EXPORT_CHROME_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

/*
 * Writes a trace of the event. The source has bare paths, times and words about the captures, and no threads
 * are merged. -EFBIG: there is too much for viewers; otherwise 0, or errors of json_file.h.
 */
int export_chrome_write(const struct export_source *source, struct result_file *to,
			struct ts_error *err);

#endif
