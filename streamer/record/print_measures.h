/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writers measured of themselves, as `record -v` shows it at the end: a line for each.
 *
 * Threads: main thread, behind the account.
 */
#ifndef TS_STREAMER_RECORD_PRINT_MEASURES_H
#define TS_STREAMER_RECORD_PRINT_MEASURES_H

#include "streamer/directory/ledger.h"
#include "streamer/plan/record_plan.h"

/* Prints on stderr with -v; no line is longer than 100 columns. */
void print_measures(const struct record_plan *plan, const struct ledger *ledger);

#endif
