// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/jit_unwind.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "reader/objects/symbol_places.h"
#include "reader/objects/untrusted_file.h"
#include "reader/symbols/jitdump.h"

#define INFO_MAX (256u << 20) /* bytes; functions beyond have no information */

static bool refuse_section(struct jit_unwind *u)
{
	symbol_fault_note(&u->fault, ENOMEM);
	return false;
}

static bool add_section(struct jit_unwind *u, struct jitdump *d,
			const struct jitdump_record *record)
{
	const uint64_t bytes = record->unwinding.bytes;
	struct jit_unwind_code *items;
	void *to;

	if (bytes > INFO_MAX - u->info.len)
		return false;
	if (u->nr == u->cap) {
		size_t cap = u->cap ? 2 * u->cap : 64;

		items = reallocarray(u->items, cap, sizeof(*items));
		if (!items)
			return refuse_section(u);
		u->items = items;
		u->cap = cap;
	}
	to = ts_bytes_reserve(&u->info, bytes);
	if (!to)
		return refuse_section(u);
	if (!jitdump_read(d, &record->unwinding, to))
		return false;
	u->items[u->nr++] = (struct jit_unwind_code){
		.code = {record->offset, record->offset, record->bytes},
		.at = u->info.len,
		.bytes = bytes,
	};
	u->info.len += bytes;
	return true;
}

/* Later records have their code later in the file. */
void jit_unwind_load(struct jit_unwind *u, const char *path, const struct harmless *how)
{
	struct jitdump_record record;
	bool goes_on = true;
	struct ts_error err;
	struct jitdump d;

	if (jitdump_open(&d, path, UNTRUSTED_FILE_ANYBODY, how, &err)) {
		symbol_fault_note(&u->fault, err.code);
		return;
	}
	while (goes_on && jitdump_next(&d, &record))
		if (!record.is_move && record.unwinding.bytes)
			goes_on = add_section(u, &d, &record);
	symbol_fault_note(&u->fault, jitdump_fault(&d));
	jitdump_close(&d);
}

static void free_section(struct unwind_section *s)
{
	if (s)
		unwind_section_release(s);
	free(s);
}

void jit_unwind_release(struct jit_unwind *u)
{
	for (size_t i = 0; i < u->nr; i++)
		free_section(u->items[i].section);
	free(u->items);
	ts_bytes_release(&u->info);
	*u = (struct jit_unwind){0};
}

static struct unwind_section *open_section(const struct jit_unwind *u,
					   const struct jit_unwind_code *c)
{
	const struct cfi_section cfi = {.bytes = u->info.data + c->at,
					.size = c->bytes,
					.vaddr = c->code.vaddr + (c->code.size + 7) / 8 * 8,
					.is_eh_frame = true};
	struct unwind_section *s = calloc(1, sizeof(*s));

	if (s)
		unwind_section_open(s, &cfi, &c->code, 1);
	return s;
}

/* If two threads make one at once, one of the two is dropped. NULL: out of memory. */
static struct unwind_section *section_of(struct jit_unwind *u, struct jit_unwind_code *c)
{
	/* Pairs with the exchange below: a thread that sees the section sees its contents. */
	struct unwind_section *s = atomic_load_explicit(&c->section, memory_order_acquire);
	struct unwind_section *others = NULL;

	if (s)
		return s;
	s = open_section(u, c);
	if (!s)
		atomic_store_explicit(&u->lacks_memory, true, memory_order_relaxed);
	if (!s || atomic_compare_exchange_strong_explicit(
			  &c->section, &others, s, memory_order_acq_rel, memory_order_acquire))
		return s;
	free_section(s);
	return others;
}

const struct unwind_rule *jit_unwind_find(struct jit_unwind *u, uint64_t offset)
{
	static const struct unwind_rule unknown;
	struct unwind_section *s;
	size_t low = 0, high = u->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (u->items[mid].code.offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || offset - u->items[low - 1].code.offset >= u->items[low - 1].code.size)
		return &unknown;
	s = section_of(u, &u->items[low - 1]);
	return s ? unwind_section_find(s, offset) : &unknown;
}

static bool is_whole(const struct unwind_section *s)
{
	return !s || !atomic_load_explicit(&s->lacks_memory, memory_order_relaxed);
}

int jit_unwind_fault(const struct jit_unwind *u)
{
	size_t i = 0;

	if (u->fault)
		return u->fault;
	while (i < u->nr && is_whole(u->items[i].section))
		i++;
	return i < u->nr || u->lacks_memory ? ENOMEM : 0;
}
