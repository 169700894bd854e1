/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command names, each distinct one once and numbered.
 *
 * Threads: a list belongs to one thread at a time.
 */
#ifndef TS_READER_RUNTIME_NAME_TABLE_H
#define TS_READER_RUNTIME_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "reader/runtime/spill.h"

#define NAME_TABLE_NONE UINT32_MAX

struct names_texts;

struct name_table {
	struct spill *spill; /* whose blocks hold them; NULL: without limit */
	struct names_texts *texts;
	char **items; /* in texts */
	uint32_t nr, cap;
	uint32_t *slots; /* index + 1, 0 free; power of two */
	size_t nr_slots;
};

#define UNNAMED_MAX 16
/* What a thread without a recorded name is called, as by perf: "swapper" (thread 0), else ":TID", in buf. */
const char *name_table_unnamed(uint32_t tid, char buf[UNNAMED_MAX]);

/* The number of this name, a copy of which is added if new; NAME_TABLE_NONE: out of memory. */
uint32_t name_table_intern(struct name_table *n, const char *name);
void name_table_release(struct name_table *n); /* accepts a zeroed one; idempotent */

#endif
