/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols out of text: the kernel's kallsyms, and the perf-PID.map that a JIT compiler leaves.
 *
 * Whoever wrote such a file is not trusted. Memory is taken for lines that are symbols alone, up to a limit; lines of more than 64 KiB
 * are left out; a file of more than 1 GiB or 4 million symbols is refused, as is one that cannot be read to its end. Where a
 * function fails the table is empty.
 *
 * Threads: each call works on its own table.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_TEXT_H
#define TS_READER_SYMBOLS_SYMBOL_TEXT_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/objects/harmless.h"
#include "reader/runtime/progress.h"
#include "reader/runtime/spill.h"
#include "reader/symbols/symbol_table.h"

struct symbol_limits { /* of reading; NULL, here and below: none */
	struct spill
		*spill; /* whose limit of memory holds; a usual kernel's table is not refused */
	const struct progress *progress; /* tells when to stop */
};

/*
 * Reads "address type name[\t[module]]" lines: functions and data, as perf takes them.
 * *ret_reference is the address of the symbol called `reference` (0: not there). -EACCES when the
 * kernel hides its addresses; -EINTR: it was stopped.
 */
int symbol_text_kallsyms(struct symbol_table *t, const char *path, const struct harmless *how,
			 const struct symbol_limits *limits, const char *reference,
			 uint64_t *ret_reference, struct ts_error *err);

/* The same of a file that is open. */
int symbol_text_kallsyms_fd(struct symbol_table *t, int fd, const char *path,
			    const struct symbol_limits *limits, const char *reference,
			    uint64_t *ret_reference, struct ts_error *err);

/* Fills and finishes the table from "start size name" lines of an open file; `path` is for sentences. */
int symbol_text_perf_map(struct symbol_table *t, int fd, const char *path,
			 const struct symbol_limits *limits, struct ts_error *err);

#endif
