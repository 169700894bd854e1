/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measures that a writer took of itself, as tstream.json has them (docs/format.md).
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_DIRECTORY_MEASURE_INFO_H
#define TS_STREAMER_DIRECTORY_MEASURE_INFO_H

#include "common/json/json.h"

#include "streamer/writer/writer.h"

/* Adds "lag", "write", "cpu" and "memory_bytes" to a writer's object. */
void measure_info_put(struct ts_json *writer, const struct writer_measures *m);

#endif
