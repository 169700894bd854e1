// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/cfi.h"

#include <stdlib.h>

static bool find_offset(const struct cfi_segment *segments, size_t nr_segments, uint64_t vaddr,
			uint64_t *ret)
{
	for (size_t i = 0; i < nr_segments; i++) {
		const struct cfi_segment *s = &segments[i];

		if (vaddr < s->vaddr || vaddr - s->vaddr >= s->size)
			continue;
		*ret = vaddr - s->vaddr + s->offset;
		return true;
	}
	return false;
}

static bool add_function(struct cfi_functions *f, uint64_t offset, uint64_t entry)
{
	if (f->nr == f->cap) {
		size_t cap = f->cap ? 2 * f->cap : 256;
		struct cfi_function *items = reallocarray(f->items, cap, sizeof(*items));

		f->lacks_memory = !items;
		if (!items)
			return false;
		f->items = items;
		f->cap = cap;
	}
	f->items[f->nr++] = (struct cfi_function){offset, entry};
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct cfi_function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

void cfi_list(struct cfi_functions *f, const struct cfi_section *section,
	      const struct cfi_segment *segments, size_t nr_segments)
{
	struct cfi_entries entries = {.section = section, .cie_offset = UINT64_MAX};
	uint64_t entry = 0, next = 0, offset;
	bool is_sorted = true;
	struct cfi_fde fde;

	for (; entry < section->size; entry = next) {
		/* Code that the linker dropped still has an entry, at 0 or nowhere. */
		if (cfi_entries_function(&entries, entry, &next, &fde) &&
		    find_offset(segments, nr_segments, fde.start, &offset)) {
			is_sorted &= !f->nr || f->items[f->nr - 1].offset <= offset;
			if (!add_function(f, offset, entry))
				break;
		}
		if (!next)
			break;
	}
	if (!is_sorted)
		qsort(f->items, f->nr, sizeof(*f->items), by_offset);
}

void cfi_functions_release(struct cfi_functions *f)
{
	free(f->items);
	*f = (struct cfi_functions){0};
}

size_t cfi_compile(struct unwind_table *t, const struct cfi_section *section,
		   const struct cfi_segment *segments, size_t nr_segments,
		   const struct cfi_function *functions, size_t nr)
{
	const struct cfi_rules rules = {t, segments, nr_segments};
	struct cfi_entries entries = {.section = section, .cie_offset = UINT64_MAX};
	size_t nr_bad = 0;
	uint64_t ignored;
	struct cfi_fde fde;

	for (size_t i = 0; i < nr; i++)
		nr_bad += !cfi_entries_function(&entries, functions[i].entry, &ignored, &fde) ||
			  !cfi_program_run(&rules, &fde);
	return nr_bad;
}
