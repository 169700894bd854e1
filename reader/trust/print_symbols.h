/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report --explain-symbols: for each module that samples were taken in how many of them have a symbol,
 * where its symbols came from, what was tried, and why it failed.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_TRUST_PRINT_SYMBOLS_H
#define TS_READER_TRUST_PRINT_SYMBOLS_H

#include "common/base/bytes.h"
#include "reader/stacks/aggregate.h"
#include "reader/symbols/symbol.h"

/* Most samples first. 0 or -ENOMEM. */
int print_symbols(const struct aggregate *a, const struct symbols *syms, struct ts_bytes *out);
/* On stderr: why the file that was named for the kernel was of no use; what servers did not have. */
void print_symbols_notes(const struct symbols *syms);

#endif
