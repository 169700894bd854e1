/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report --explain-symbols: for each module with samples, how many samples have a symbol, where the
 * symbols and source lines came from, which files were tried, and why they failed.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_TRUST_PRINT_SYMBOLS_H
#define TS_READER_TRUST_PRINT_SYMBOLS_H

#include "common/base/bytes.h"
#include "reader/stacks/aggregate.h"
#include "reader/symbols/symbol.h"

/* Prints the module with the most samples first. Returns 0 or -ENOMEM. */
int print_symbols(const struct aggregate *a, const struct symbols *syms, struct ts_bytes *out);
/*
 * Notes on stderr: why the file that was named for the kernel is unusable, and which debug files
 * servers did not have.
 */
void print_symbols_notes(const struct symbols *syms);

#endif
