// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/name_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "common/base/keyed_hash.h"
#include "common/base/min_max.h"
#include "reader/runtime/text.h"

#define SLOTS_FIRST 256
#define TEXTS_FIRST 1024u
#define TEXTS_MOST  (1u << 20)

struct names_texts {
	struct names_texts *next;
	size_t size, used; /* bytes */
	char bytes[];
};

static size_t find_slot(const struct name_table *n, const char *name)
{
	size_t at = XXH3_64bits_withSeed(name, strlen(name), n->key) & (n->nr_slots - 1);

	while (n->slots[at] && strcmp(n->items[n->slots[at] - 1], name) != 0)
		at = (at + 1) & (n->nr_slots - 1);
	return at;
}

static int grow_table(struct name_table *n)
{
	size_t nr = n->nr_slots ? 2 * n->nr_slots : SLOTS_FIRST;
	uint32_t *slots;
	char **items;

	if (n->nr_slots > 2 * (size_t)n->nr)
		return 0;
	items = memory_resize(n->memory, n->items, nr / 2, sizeof(*items));
	if (!items)
		return -ENOMEM;
	n->items = items;
	n->cap = (uint32_t)(nr / 2);
	slots = memory_new(n->memory, nr, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	if (!n->key)
		n->key = ts_keyed_hash_key();
	memory_free(n->slots);
	n->slots = slots;
	n->nr_slots = nr;
	for (uint32_t i = 0; i < n->nr; i++)
		slots[find_slot(n, n->items[i])] = i + 1;
	return 0;
}

/*
 * Texts stand one behind the other in blocks that never move; each new block is larger than the
 * last.
 */
static char *copy_text(struct name_table *n, const char *text)
{
	struct names_texts *t = n->texts;
	size_t len = strlen(text) + 1;
	char *copy;

	if (!t || t->size - t->used < len) {
		size_t size = t ? ts_min(2 * t->size, TEXTS_MOST) : TEXTS_FIRST;

		size = ts_max(size, len);
		t = memory_resize(n->memory, NULL, 1, sizeof(*t) + size);
		if (!t)
			return NULL;
		*t = (struct names_texts){.next = n->texts, .size = size};
		n->texts = t;
	}
	copy = memcpy(t->bytes + t->used, text, len);
	t->used += len;
	return copy;
}

uint32_t name_table_intern(struct name_table *n, const char *name)
{
	size_t at;
	char *copy;

	if (grow_table(n))
		return NAME_TABLE_NONE;
	at = find_slot(n, name);
	if (n->slots[at])
		return n->slots[at] - 1;
	copy = copy_text(n, name);
	if (!copy)
		return NAME_TABLE_NONE;
	n->items[n->nr] = copy;
	n->slots[at] = ++n->nr;
	return n->nr - 1;
}

uint32_t name_table_intern_clean(struct name_table *n, const char *text, size_t len)
{
	struct ts_bytes clean = {0};
	uint32_t number = NAME_TABLE_NONE;

	text_name_n(&clean, text, len);
	text_char(&clean, '\0');
	if (!ts_bytes_failed(&clean))
		number = name_table_intern(n, (const char *)clean.data);
	ts_bytes_release(&clean);
	return number;
}

uint32_t name_table_find(const struct name_table *n, const char *name)
{
	/* the slot holds the number + 1, and 0 where the name is not */
	return n->nr_slots ? n->slots[find_slot(n, name)] - 1 : NAME_TABLE_NONE;
}

void name_table_release(struct name_table *n)
{
	while (n->texts) {
		struct names_texts *texts = n->texts;

		n->texts = texts->next;
		memory_free(texts);
	}
	memory_free(n->items);
	memory_free(n->slots);
	*n = (struct name_table){0};
}

const char *name_table_unnamed(uint32_t tid, char buf[UNNAMED_MAX])
{
	if (!tid)
		return "swapper";
	snprintf(buf, UNNAMED_MAX, ":%d", (int)tid);
	return buf;
}
