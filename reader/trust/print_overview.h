/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the overview of a capture as comments above the rows: one line about the recorded samples,
 * and one line for each problem. A sound capture that lost nothing has one line.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_TRUST_PRINT_OVERVIEW_H
#define TS_READER_TRUST_PRINT_OVERVIEW_H

#include "common/base/bytes.h"
#include "reader/trust/overview.h"

/* is_whole: all samples were counted, so their number and the recorder's share are printed. */
void print_overview(const struct overview *o, bool is_whole, struct ts_bytes *out);

/* The same without the line about the samples and without "# ": losses, damage, and what was not read. */
void print_overview_faults(const struct overview *o, struct ts_bytes *out);

/*
 * The command line that recorded it, in one line: the program by its name, the other words as they
 * were. false, and nothing printed: the header has none.
 */
bool print_overview_command(const struct overview *o, struct ts_bytes *out);

/*
 * The first line about one of several captures: "# Capture: PATH", with the host if `host` differs
 * from the path. `host` may be NULL.
 */
void print_capture_name(const char *path, const char *host, struct ts_bytes *out);

#endif
