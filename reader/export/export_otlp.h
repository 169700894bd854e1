/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP profiles, as the signal `profiles` of OpenTelemetry has them while it is in development: a
 * message ProfilesData.
 *
 *	dictionary, part by part (otlp_dictionary.h)
 *	each capture: resource, scope, profile, whose samples are a stack of a thread with all of its times
 *	the strings
 *
 * The length of a profile stands before it, so its samples are made twice: to be measured, and to be
 * written.
 *
 * Source: opentelemetry/proto/profiles/v1development/profiles.proto, v1.11.0.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_EXPORT_EXPORT_OTLP_H
#define TS_READER_EXPORT_EXPORT_OTLP_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

/*
 * The source has bare paths and the times of samples, and no threads are merged. -EFBIG: messages of
 * protobuf may not be so large. -EPIPE: the reader of standard output went away, and *err is not set.
 */
int export_otlp_write(const struct export_source *source, struct result_file *to,
		      struct ts_error *err);

#endif
