// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/inlined.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "common/base/bytes.h"
#include "reader/objects/demangle.h"

struct item {
	struct symbol symbol;
	const struct symbol *around;
	const char *function;
};

void inlined_init(struct inlined *in)
{
	*in = (struct inlined){.tree = NULL};
	pthread_mutex_init(&in->lock, NULL);
}

void inlined_release(struct inlined *in)
{
	tdestroy(in->tree, free);
	name_table_release(&in->texts);
	pthread_mutex_destroy(&in->lock);
}

static int compare_addresses(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	const int rc = compare_addresses(x->around, y->around);

	return rc ? rc : compare_addresses(x->function, y->function);
}

/* NULL: out of memory. */
static const char *name_of(struct inlined *in, const char *function)
{
	char *demangled = demangle(function);
	struct ts_bytes text = {0};
	uint32_t number = NAME_TABLE_NONE;

	if (!demangled && errno == ENOMEM)
		return NULL;
	ts_bytes_printf(&text, "%s (inlined)", demangled ? demangled : function);
	ts_bytes_zero(&text, 1);
	if (!ts_bytes_failed(&text))
		number = name_table_intern(&in->texts, (const char *)text.data);
	ts_bytes_release(&text);
	free(demangled);
	return number == NAME_TABLE_NONE ? NULL : in->texts.items[number];
}

static const struct symbol *add_symbol(struct inlined *in, const struct item *wanted)
{
	struct item *item = malloc(sizeof(*item));

	if (!item)
		return NULL;
	*item = *wanted;
	item->symbol.name = name_of(in, wanted->function);
	if (item->symbol.name && tsearch(item, &in->tree, compare_items))
		return &item->symbol;
	free(item);
	return NULL;
}

const struct symbol *inlined_find(struct inlined *in, const struct symbol *around,
				  const char *function)
{
	const struct item wanted = {*around, around, function};
	const struct symbol *symbol;
	struct item *const *found;

	pthread_mutex_lock(&in->lock);
	found = tfind(&wanted, &in->tree, compare_items);
	symbol = found ? &(*found)->symbol : add_symbol(in, &wanted);
	in->lacks_memory |= !symbol;
	pthread_mutex_unlock(&in->lock);
	return symbol;
}
