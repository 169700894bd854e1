/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile for speedscope: https://www.speedscope.app/file-format-schema.json, compressed by gzip, which
 * its viewers unpack. A thread is a `sampled` profile, the one with the most samples first.
 *
 * A sample repeats its whole stack, so samples of one stack that follow each other are one, and their weights
 * add up. The width of a profile is the sum of its weights: nanoseconds of clocks, else samples, unless
 * --weight says which. The time between samples has no width. Frames have their object as `file`,
 * followed by (kernel), (inlined) or (JIT). Losses are a profile of their own, the last one.
 *
 * Threads: main thread only; the file is compressed by several.
 */
#ifndef TS_READER_EXPORT_EXPORT_SPEEDSCOPE_H
#define TS_READER_EXPORT_EXPORT_SPEEDSCOPE_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

#define EXPORT_SPEEDSCOPE_THREADS 2000 /* the others are one profile for each capture */

/*
 * Writes a profile of the event. The source has times and words about the captures. -EFBIG: there is too much for the
 * viewer; otherwise 0, or errors of json_file.h.
 */
int export_speedscope_write(const struct export_source *source, struct result_file *to,
			    struct ts_error *err);

#endif
