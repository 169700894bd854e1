// SPDX-License-Identifier: Apache-2.0
#include "reader/export/parquet_texts.h"

#include <errno.h>
#include <string.h>

uint32_t parquet_texts_add(struct parquet_texts *t, const char *text)
{
	return name_table_intern_clean(&t->table, text, strlen(text));
}

/* 0 or -ENOMEM */
static int add(struct parquet_texts *t, const char *text, uint32_t *ret)
{
	*ret = parquet_texts_add(t, text);
	return *ret == NAME_TABLE_NONE ? -ENOMEM : 0;
}

static int add_kinds(struct parquet_texts *t)
{
	static const char *const letters[FRAME_KIND_NR] = {
		[FRAME_KIND_USER] = "u", [FRAME_KIND_KERNEL] = "k",  [FRAME_KIND_INLINED] = "i",
		[FRAME_KIND_JIT] = "j",	 [FRAME_KIND_UNKNOWN] = "?", [FRAME_KIND_COMMAND] = "c"};
	int rc = 0;

	for (int i = 0; !rc && i < FRAME_KIND_NR; i++)
		rc = add(t, letters[i], &t->of_kind[i]);
	return rc;
}

int parquet_texts_init(struct parquet_texts *t, const struct frame_looks *looks,
		       struct memory *memory, const struct progress *progress)
{
	const size_t nr = (size_t)looks->nr + 1;
	int rc;

	*t = (struct parquet_texts){
		.table = {.memory = memory},
		.of_look = memory_new(memory, nr, sizeof(*t->of_look)),
		.of_object = memory_new(memory, nr, sizeof(*t->of_object)),
	};
	if (!t->of_look || !t->of_object)
		return -ENOMEM;
	rc = add_kinds(t);
	for (uint32_t i = 0; !rc && i < looks->nr; i++) {
		if (progress_is_stopped(progress))
			return -EINTR;
		rc = add(t, looks->items[i].name, &t->of_look[i]);
		if (!rc)
			rc = add(t, looks->items[i].object, &t->of_object[i]);
	}
	return rc;
}

void parquet_texts_release(struct parquet_texts *t)
{
	name_table_release(&t->table);
	memory_free(t->of_look);
	memory_free(t->of_object);
	*t = (struct parquet_texts){0};
}
