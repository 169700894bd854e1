// SPDX-License-Identifier: Apache-2.0
#include "reader/inlined.h"

#include <search.h>
#include <stdlib.h>

#include "common/bytes.h"
#include "reader/demangle.h"

struct item {
	struct symbol symbol;
	const struct symbol *around;
};

void inlined_init(struct inlined *in)
{
	*in = (struct inlined){.tree = NULL};
	pthread_mutex_init(&in->lock, NULL);
}

void inlined_release(struct inlined *in)
{
	tdestroy(in->tree, free);
	names_release(&in->texts);
	pthread_mutex_destroy(&in->lock);
}

/* By addresses: names are interned. */
static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->around != y->around)
		return x->around < y->around ? -1 : 1;
	return (x->symbol.name > y->symbol.name) - (x->symbol.name < y->symbol.name);
}

/* Under the lock. */
static const struct symbol *intern(struct inlined *in, const struct symbol *around,
				   const char *text)
{
	const uint32_t number = names_intern(&in->texts, text);
	struct item wanted = {.symbol = *around, .around = around};
	struct item *const *found;
	struct item *item;

	if (number == NAMES_NONE)
		return NULL;
	wanted.symbol.name = in->texts.items[number];
	found = tfind(&wanted, &in->tree, compare);
	if (found)
		return &(*found)->symbol;
	item = malloc(sizeof(*item));
	if (!item)
		return NULL;
	*item = wanted;
	if (tsearch(item, &in->tree, compare))
		return &item->symbol;
	free(item);
	return NULL;
}

const struct symbol *inlined_find(struct inlined *in, const struct symbol *around,
				  const char *function)
{
	char *demangled = demangle(function);
	const struct symbol *found = NULL;
	struct ts_bytes name = {0};

	ts_bytes_printf(&name, "%s (inlined)", demangled ? demangled : function);
	ts_bytes_zero(&name, 1);
	free(demangled);
	if (!ts_bytes_failed(&name)) {
		pthread_mutex_lock(&in->lock);
		found = intern(in, around, (const char *)name.data);
		pthread_mutex_unlock(&in->lock);
	}
	ts_bytes_release(&name);
	return found;
}
