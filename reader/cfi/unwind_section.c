// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/unwind_section.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"

static void note_lack(struct unwind_section *s)
{
	atomic_store_explicit(&s->lacks_memory, true, memory_order_relaxed);
}

void unwind_section_open(struct unwind_section *s, const struct cfi_section *cfi,
			 const struct cfi_segment *segments, size_t nr_segments)
{
	uint8_t *bytes = malloc(cfi->size + 1);

	*s = (struct unwind_section){.cfi = *cfi, .segments = segments, .nr_segments = nr_segments};
	s->cfi.bytes = bytes;
	if (bytes) {
		memcpy(bytes, cfi->bytes, cfi->size);
		cfi_list(&s->functions, &s->cfi, segments, nr_segments);
		s->nr_blocks = (s->functions.nr + UNWIND_BLOCK - 1) / UNWIND_BLOCK;
		s->tables = calloc(s->nr_blocks + 1, sizeof(*s->tables));
	}
	if (!s->tables)
		unwind_section_release(s);
	if (!s->tables || s->functions.lacks_memory)
		note_lack(s);
}

static void free_table(struct unwind_table *t)
{
	unwind_table_release(t);
	free(t);
}

void unwind_section_release(struct unwind_section *s)
{
	for (size_t i = 0; i < s->nr_blocks; i++)
		if (s->tables && s->tables[i])
			free_table(s->tables[i]);
	free(s->tables);
	cfi_functions_release(&s->functions);
	free((void *)(uintptr_t)s->cfi.bytes);
	*s = (struct unwind_section){0};
}

static struct unwind_table *compile_block(const struct unwind_section *s, size_t block)
{
	const size_t first = block * UNWIND_BLOCK;
	const struct cfi_function *functions = s->functions.items + first;
	struct unwind_table *t = malloc(sizeof(*t));

	if (!t)
		return NULL;
	unwind_table_init(t, functions->offset);
	cfi_compile(t, &s->cfi, s->segments, s->nr_segments, functions,
		    ts_min(s->functions.nr - first, (size_t)UNWIND_BLOCK));
	unwind_table_finish(t);
	return t;
}

const struct unwind_table *unwind_section_table(struct unwind_section *s, size_t block)
{
	/* Pairs with the exchange below: a thread that sees the table sees its contents. */
	struct unwind_table *t = atomic_load_explicit(&s->tables[block], memory_order_acquire);
	struct unwind_table *others = NULL;

	if (t)
		return t;
	t = compile_block(s, block);
	if (!t || t->lacks_memory)
		note_lack(s);
	if (!t ||
	    atomic_compare_exchange_strong_explicit(&s->tables[block], &others, t,
						    memory_order_acq_rel, memory_order_acquire))
		return t;
	free_table(t);
	return others;
}

const struct unwind_rule *unwind_section_find(struct unwind_section *s, uint64_t offset)
{
	static const struct unwind_rule unknown;
	const struct unwind_table *t;
	size_t low = 0, high = s->nr_blocks;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->functions.items[mid * UNWIND_BLOCK].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	t = low ? unwind_section_table(s, low - 1) : NULL;
	return t ? unwind_table_find(t, offset) : &unknown;
}
