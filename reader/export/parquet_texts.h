/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All texts of the tables of `export --format=parquet`, each once and with a number: a dictionary of a
 * column has those that occur there. Texts are UTF-8 without control characters.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_EXPORT_PARQUET_TEXTS_H
#define TS_READER_EXPORT_PARQUET_TEXTS_H

#include "reader/page/frame_looks.h"
#include "reader/runtime/name_table.h"
#include "reader/runtime/progress.h"

struct parquet_texts {
	struct name_table table;
	uint32_t *of_look, *of_object; /* owned; by look: its name, and that of its object */
	uint32_t of_kind[FRAME_KIND_NR];
};

/*
 * With the texts of these looks. Kinds are the letters k (kernel), u (user), i (inlined), j (JIT) and ?
 * (unknown). Returns 0, -ENOMEM, or -EINTR if it was stopped; release it in any case.
 */
int parquet_texts_init(struct parquet_texts *t, const struct frame_looks *looks,
		       struct memory *memory, const struct progress *progress);
void parquet_texts_release(struct parquet_texts *t); /* accepts a zeroed one; idempotent */

/* The number of a text; NAME_TABLE_NONE: out of memory. */
uint32_t parquet_texts_add(struct parquet_texts *t, const char *text);

#endif
