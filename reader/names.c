// SPDX-License-Identifier: Apache-2.0
#include "reader/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define SLOTS_FIRST 256

static size_t find_slot(const struct names *n, const char *name)
{
	size_t at = XXH3_64bits(name, strlen(name)) & (n->nr_slots - 1);

	while (n->slots[at] && strcmp(n->items[n->slots[at] - 1], name) != 0)
		at = (at + 1) & (n->nr_slots - 1);
	return at;
}

static int grow(struct names *n)
{
	size_t nr = n->nr_slots ? 2 * n->nr_slots : SLOTS_FIRST;
	uint32_t *slots;
	char **items;

	if (n->nr_slots > 2 * (size_t)n->nr)
		return 0;
	items = realloc(n->items, nr / 2 * sizeof(*items));
	if (!items)
		return -ENOMEM;
	n->items = items;
	n->cap = (uint32_t)(nr / 2);
	slots = calloc(nr, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(n->slots);
	n->slots = slots;
	n->nr_slots = nr;
	for (uint32_t i = 0; i < n->nr; i++)
		slots[find_slot(n, n->items[i])] = i + 1;
	return 0;
}

uint32_t names_intern(struct names *n, const char *name)
{
	size_t at;
	char *copy;

	if (grow(n))
		return NAMES_NONE;
	at = find_slot(n, name);
	if (n->slots[at])
		return n->slots[at] - 1;
	copy = strdup(name);
	if (!copy)
		return NAMES_NONE;
	n->items[n->nr] = copy;
	n->slots[at] = ++n->nr;
	return n->nr - 1;
}

void names_release(struct names *n)
{
	for (uint32_t i = 0; i < n->nr; i++)
		free(n->items[i]);
	free(n->items);
	free(n->slots);
	*n = (struct names){0};
}

const char *names_unnamed(uint32_t tid, char buf[UNNAMED_MAX])
{
	if (!tid)
		return "swapper";
	snprintf(buf, UNNAMED_MAX, ":%d", (int)tid);
	return buf;
}
