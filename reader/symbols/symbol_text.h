/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of text files: the kernel's kallsyms, and the perf-PID.map that a JIT compiler leaves.
 *
 * The authors of such files are not trusted. Only lines that are symbols take memory, within the
 * limits. Lines of more than 64 KiB are left out. A file is refused if it has more than 1 GiB or 4
 * million symbols, or if it cannot be read to its end. If a function fails, the table is empty.
 *
 * Threads: each call works on its own table.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_TEXT_H
#define TS_READER_SYMBOLS_SYMBOL_TEXT_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/objects/harmless.h"
#include "reader/symbols/symbol_limits.h"
#include "reader/symbols/symbol_table.h"

/*
 * Reads "address type name[\t[module]]" lines: functions and data, as perf takes them.
 * *ret_reference is the address of the symbol called `reference` (0: not found). Returns -EACCES if
 * the kernel hides its addresses, -EINTR if reading was stopped, -MEMORY_REFUSED beyond the limit of
 * memory.
 */
int symbol_text_kallsyms(struct symbol_table *t, const char *path, const struct harmless *how,
			 struct symbol_limits *limits, const char *reference,
			 uint64_t *ret_reference, struct ts_error *err);

/* The same for an open file. */
int symbol_text_kallsyms_fd(struct symbol_table *t, int fd, const char *path,
			    struct symbol_limits *limits, const char *reference,
			    uint64_t *ret_reference, struct ts_error *err);

/*
 * Fills and finishes the table from "start size name" lines of an open file; `path` is for
 * messages. The last line for an address wins: a JIT compiler uses the memory of old code again.
 */
int symbol_text_perf_map(struct symbol_table *t, int fd, const char *path,
			 struct symbol_limits *limits, struct ts_error *err);

#endif
