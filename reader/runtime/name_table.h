/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of commands and other texts. Each distinct name is stored once and has a number.
 *
 * Threads: a table belongs to one thread at a time.
 */
#ifndef TS_READER_RUNTIME_NAME_TABLE_H
#define TS_READER_RUNTIME_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "reader/runtime/memory.h"

#define NAME_TABLE_NONE UINT32_MAX

struct names_texts;

struct name_table {
	struct memory *memory; /* its blocks hold the names; NULL: no limit */
	struct names_texts *texts;
	char **items; /* in texts */
	uint32_t nr, cap;
	uint32_t *slots; /* index + 1, 0 free; power of two */
	size_t nr_slots;
	uint64_t key; /* of the hash; see common/base/keyed_hash.h */
};

#define UNNAMED_MAX 16
/*
 * The name of a thread that no record names, as perf prints it: "swapper" for thread 0, else
 * ":TID", which is written to buf.
 */
const char *name_table_unnamed(uint32_t tid, char buf[UNNAMED_MAX]);

/* The number of this name. A new name is copied into the table. NAME_TABLE_NONE: out of memory. */
uint32_t name_table_intern(struct name_table *n, const char *name);
/*
 * The same for the first `len` bytes of a text of a capture, as text_name_n() writes them: UTF-8 without control
 * characters.
 */
uint32_t name_table_intern_clean(struct name_table *n, const char *text, size_t len);
/* The number of a name that the table has; otherwise NAME_TABLE_NONE. */
uint32_t name_table_find(const struct name_table *n, const char *name);
void name_table_release(struct name_table *n); /* accepts a zeroed one; idempotent */

#endif
