/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols out of text: the kernel's kallsyms, and the perf-PID.map that a JIT compiler leaves.
 *
 * Threads: each call works on its own table.
 */
#ifndef TS_READER_SYMBOL_TEXT_H
#define TS_READER_SYMBOL_TEXT_H

#include <stdio.h>

#include "common/error.h"
#include "reader/harmless.h"
#include "reader/symbol_table.h"

/*
 * Reads "address type name[\t[module]]" lines: functions and data, as perf takes them.
 * *ret_reference is the address of the symbol called `reference` (0: not there). -EACCES when the
 * kernel hides its addresses.
 */
int symbol_text_kallsyms(struct symbol_table *t, const char *path, const struct harmless *how,
			 const char *reference, uint64_t *ret_reference, struct ts_error *err);

/* Fills and finishes the table from "start size name" lines. 0 or -ENOMEM. */
int symbol_text_perf_map(struct symbol_table *t, FILE *file);

#endif
