/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measures that writers took of themselves, one line for each, as `record -v` prints them at
 * the end.
 *
 * Threads: main thread, after the account.
 */
#ifndef TS_STREAMER_RECORD_PRINT_MEASURES_H
#define TS_STREAMER_RECORD_PRINT_MEASURES_H

#include "streamer/directory/ledger.h"
#include "streamer/plan/record_plan.h"

/* Prints on stderr with -v; no line is longer than 100 columns. */
void print_measures(const struct record_plan *plan, const struct ledger *ledger);

#endif
