/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the header of a capture (report --header) in perf's words: when and where it was recorded,
 * the command, the events.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_DUMP_PRINT_HEADER_H
#define TS_READER_DUMP_PRINT_HEADER_H

#include "common/base/bytes.h"
#include "reader/capture/capture.h"

void print_header(const struct capture *capture, struct ts_bytes *out);

#endif
