/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols out of text: the kernel's kallsyms, and the perf-PID.map that a JIT compiler leaves.
 *
 * Threads: each call works on its own table.
 */
#ifndef TS_READER_SYMBOL_TEXT_H
#define TS_READER_SYMBOL_TEXT_H

#include <sys/types.h>

#include "common/error.h"
#include "reader/symbol_table.h"

/*
 * Reads "address type name[\t[module]]" lines: functions and data, as perf takes them.
 * *ret_reference is the address of the symbol called `reference` (0: not there). -EACCES when the
 * kernel hides its addresses.
 */
int symbol_text_kallsyms(struct symbol_table *t, const char *path, const char *reference,
			 uint64_t *ret_reference, struct ts_error *err);

#define SYMBOL_TEXT_ANYBODY ((uid_t)-1)

/*
 * Reads "start size name" lines. The file must belong to root, to this user or to `owner`, unless that is
 * SYMBOL_TEXT_ANYBODY: it is in a folder where anybody can write.
 */
int symbol_text_perf_map(struct symbol_table *t, const char *path, uid_t owner,
			 struct ts_error *err);

#endif
