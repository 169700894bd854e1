/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streams of a capture by their name.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_CAPTURE_CAPTURE_STREAMS_H
#define TS_READER_CAPTURE_CAPTURE_STREAMS_H

#include "reader/capture/capture.h"

/* The name of the file of a stream: "data.1". */
const char *capture_streams_name(const struct capture_stream *s);
/* The stream of a directory with this name; NULL: it has none. */
const struct capture_stream *capture_streams_find(const struct capture *c, const char *name);

#endif
