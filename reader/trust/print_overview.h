/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overview of a capture as comments above the rows: a line of what was captured, and a line each
 * for what is not right with it. A sound capture that lost nothing has one line.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_TRUST_PRINT_OVERVIEW_H
#define TS_READER_TRUST_PRINT_OVERVIEW_H

#include "common/base/bytes.h"
#include "reader/trust/overview.h"

/* is_whole: all samples were counted, so their number and the recorder's share can be told. */
void print_overview(const struct overview *o, bool is_whole, struct ts_bytes *out);

/*
 * What begins what is said of one of several captures: "# Capture: PATH", and the host where `host`
 * is something else than the path; NULL: it does not matter.
 */
void print_capture_name(const char *path, const char *host, struct ts_bytes *out);

#endif
