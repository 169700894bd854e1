/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pprof profile: the messages of pprof.proto, packed by protobuf-c, as one gzip member.
 *
 * Joined messages of one type are one message in protobuf. So the profile is written as many small
 * ones: each has one sample, location, function, mapping or text. The whole is never in memory.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_EXPORT_EXPORT_PPROF_H
#define TS_READER_EXPORT_EXPORT_PPROF_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

/*
 * The looks have objects by path, and kinds; the source has what it tells about the captures.
 * -EPIPE without a sentence.
 */
int export_pprof_write(const struct export_source *source, struct result_file *to,
		       struct ts_error *err);

#endif
