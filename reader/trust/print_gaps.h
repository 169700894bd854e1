/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the times in which names and maps may be missing, because the recorder lost side-band.
 *
 * Threads: a pure function.
 */
#ifndef TS_READER_TRUST_PRINT_GAPS_H
#define TS_READER_TRUST_PRINT_GAPS_H

#include <stddef.h>

#include "common/base/bytes.h"
#include "reader/capture/account.h"

/* A line for each of the first `nr_max` times, and one for the rest; nothing if there are none. */
void print_gaps(const struct account *a, size_t nr_max, struct ts_bytes *out);

#endif
