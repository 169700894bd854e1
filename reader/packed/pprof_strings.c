// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/pprof_strings.h"

#include <errno.h>
#include <string.h>

#define INLINED " (inlined)" /* inlined.h: pprof sees by the lines of a location what was inlined */

uint32_t pprof_strings_add_n(struct pprof_strings *s, const char *text, size_t len)
{
	return name_table_intern_clean(&s->table, text, len);
}

uint32_t pprof_strings_add(struct pprof_strings *s, const char *text)
{
	return pprof_strings_add_n(s, text, strlen(text));
}

static size_t name_length(const struct frame_look *look)
{
	const size_t len = strlen(look->name), more = strlen(INLINED);
	const bool is_marked = look->kind == FRAME_KIND_INLINED && len > more &&
			       !strcmp(look->name + len - more, INLINED);

	return is_marked ? len - more : len;
}

uint32_t pprof_strings_name(struct pprof_strings *s, uint32_t look)
{
	const struct frame_look *l = &s->looks->items[look];

	if (!s->of_look[look]) {
		const uint32_t number = pprof_strings_add_n(s, l->name, name_length(l));

		if (number == NAME_TABLE_NONE)
			return number;
		s->of_look[look] = number;
	}
	return s->of_look[look];
}

/* Lists the names of commands, or of all other looks. */
static int list_names(struct pprof_strings *s, bool of_commands)
{
	for (uint32_t i = 0; i < s->looks->nr; i++)
		if ((s->looks->items[i].kind == FRAME_KIND_COMMAND) == of_commands &&
		    pprof_strings_name(s, i) == NAME_TABLE_NONE)
			return -ENOMEM;
	return 0;
}

int pprof_strings_add_names(struct pprof_strings *s)
{
	if (list_names(s, false))
		return -ENOMEM;
	s->nr_functions = s->table.nr - 1;
	return list_names(s, true);
}

int pprof_strings_init(struct pprof_strings *s, const struct frame_looks *looks,
		       struct memory *memory)
{
	*s = (struct pprof_strings){
		.looks = looks,
		.table = {.memory = memory},
		.of_look = memory_new(memory, (size_t)looks->nr + 1, sizeof(*s->of_look)),
	};
	return s->of_look && pprof_strings_add(s, "") != NAME_TABLE_NONE ? 0 : -ENOMEM;
}

void pprof_strings_release(struct pprof_strings *s)
{
	name_table_release(&s->table);
	memory_free(s->of_look);
	*s = (struct pprof_strings){0};
}
