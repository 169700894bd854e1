// SPDX-License-Identifier: Apache-2.0
/*
 * A record of lines is a list of entries: address of the code, line, a discriminator, and the name
 * of the file with its NUL. "\xff" stands for the name of the previous entry.
 */
#include "reader/symbols/jit_lines.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reader/objects/symbol_places.h"
#include "reader/objects/untrusted_file.h"
#include "reader/runtime/name_table.h"
#include "reader/symbols/jitdump.h"

#define LINES_MAX   (1u << 24) /* of a file; code behind them has no lines */
#define FIXED_BYTES 16	       /* of an entry, before the name */
#define SAME_NAME   "\xff"

struct line {
	uint64_t offset; /* of the code, in the file */
	uint64_t end;	 /* of the function */
	uint32_t file;	 /* number of its name */
	uint32_t order;	 /* of lines at one address the last one counts */
	int number;
};

struct jit_lines {
	struct line *items; /* by offset */
	size_t nr, cap;
	struct name_table files;
	uint8_t *places; /* struct srcline_place with one frame, by line */
	bool lacks_memory;
};

#define PLACE_BYTES (sizeof(struct srcline_place) + sizeof(struct srcline_frame))

/* --- reading --- */

static bool refuse_line(struct jit_lines *l)
{
	l->lacks_memory = true;
	return false;
}

static bool add_line(struct jit_lines *l, const struct jitdump_record *code, uint64_t address,
		     uint32_t file, int number)
{
	const uint64_t at = address - code->address;

	if (at >= code->bytes)
		return true;
	if (l->nr == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 256;
		struct line *items;

		if (cap > LINES_MAX)
			return false;
		items = reallocarray(l->items, cap, sizeof(*items));
		if (!items)
			return refuse_line(l);
		l->items = items;
		l->cap = cap;
	}
	l->items[l->nr] = (struct line){.offset = code->offset + at,
					.end = code->offset + code->bytes,
					.file = file,
					.order = (uint32_t)l->nr,
					.number = number};
	l->nr++;
	return true;
}

static bool add_entries(struct jit_lines *l, const struct jitdump_record *code, const char *at,
			size_t left)
{
	uint32_t file = NAME_TABLE_NONE;
	const char *name_end;

	while (left > FIXED_BYTES &&
	       (name_end = memchr(at + FIXED_BYTES, '\0', left - FIXED_BYTES))) {
		const size_t bytes = (size_t)(name_end + 1 - at);
		uint64_t address;
		int32_t number;

		memcpy(&address, at, sizeof(address));
		memcpy(&number, at + 8, sizeof(number));
		if (strcmp(at + FIXED_BYTES, SAME_NAME) != 0) {
			file = name_table_intern(&l->files, at + FIXED_BYTES);
			l->lacks_memory |= file == NAME_TABLE_NONE;
		}
		if (file == NAME_TABLE_NONE || !add_line(l, code, address, file, number))
			return false;
		at += bytes;
		left -= bytes;
	}
	return true;
}

static bool add_code(struct jit_lines *l, struct jitdump *d, const struct jitdump_record *code)
{
	char *entries = malloc(code->lines.bytes + 1);
	const bool goes_on = entries && jitdump_read(d, &code->lines, entries) &&
			     add_entries(l, code, entries, code->lines.bytes);

	free(entries);
	return entries ? goes_on : refuse_line(l);
}

static int by_offset(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static struct srcline_place *place_at(const struct jit_lines *l, size_t i)
{
	return (void *)(l->places + i * PLACE_BYTES);
}

/* Makes all answers once, when all names have their place. */
static bool make_places(struct jit_lines *l)
{
	l->places = calloc(l->nr + 1, PLACE_BYTES);
	for (size_t i = 0; l->places && i < l->nr; i++) {
		struct srcline_place *place = place_at(l, i);

		place->offset = l->items[i].offset;
		place->nr = 1;
		place->frames[0] = (struct srcline_frame){.file = l->files.items[l->items[i].file],
							  .line = l->items[i].number};
	}
	return l->places;
}

static void read_records(struct jit_lines *l, struct jitdump *d)
{
	struct jitdump_record record;
	bool goes_on = true;

	while (goes_on && jitdump_next(d, &record))
		if (!record.is_move && record.lines.bytes)
			goes_on = add_code(l, d, &record);
}

static int read_file(struct jit_lines *l, const char *path, const struct harmless *how)
{
	struct ts_error err;
	struct jitdump d;
	int fault;

	if (jitdump_open(&d, path, UNTRUSTED_FILE_ANYBODY, how, &err))
		return err.code;
	read_records(l, &d);
	fault = jitdump_fault(&d);
	jitdump_close(&d);
	if (l->nr)
		qsort(l->items, l->nr, sizeof(*l->items), by_offset);
	return l->lacks_memory || (l->nr && !make_places(l)) ? ENOMEM : fault;
}

struct jit_lines *jit_lines_open(const char *path, const struct harmless *how, int *fault)
{
	struct jit_lines *l = calloc(1, sizeof(*l));

	symbol_fault_note(fault, l ? read_file(l, path, how) : ENOMEM);
	if (l && l->places)
		return l;
	jit_lines_close(l);
	return NULL;
}

void jit_lines_close(struct jit_lines *l)
{
	if (!l)
		return;
	name_table_release(&l->files);
	free(l->places);
	free(l->items);
	free(l);
}

/* --- asking --- */

const struct srcline_place *jit_lines_find(const struct jit_lines *l, uint64_t offset)
{
	size_t low = 0, high = l->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->items[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low && offset < l->items[low - 1].end ? place_at(l, low - 1) : NULL;
}
