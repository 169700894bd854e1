// SPDX-License-Identifier: Apache-2.0
#include "reader/check/check_finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void findings_init(struct findings *f)
{
	*f = (struct findings){.lock = PTHREAD_MUTEX_INITIALIZER};
}

/* Makes room for one more kept finding. NULL: FINDINGS_MAX are kept, or out of memory. */
static struct check_finding *place_for_one(struct findings *f)
{
	size_t cap = f->cap ? 2 * f->cap : 16;
	struct check_finding *grown;

	if (f->nr >= FINDINGS_MAX)
		return NULL;
	if (f->nr < f->cap)
		return &f->items[f->nr];
	grown = realloc(f->items, cap * sizeof(*grown));
	f->failed |= !grown;
	if (!grown)
		return NULL;
	memset(grown + f->cap, 0, (cap - f->cap) * sizeof(*grown));
	f->items = grown;
	f->cap = cap;
	return &f->items[f->nr];
}

void findings_add(struct findings *f, uint32_t file, uint64_t offset, uint64_t bytes,
		  const char *reason, ...)
{
	struct check_finding *place;
	va_list args;

	pthread_mutex_lock(&f->lock);
	place = place_for_one(f);
	if (place) {
		*place = (struct check_finding){.file = file, .offset = offset, .bytes = bytes};
		va_start(args, reason);
		vsnprintf(place->text, sizeof(place->text), reason, args);
		va_end(args);
	}
	f->nr++;
	pthread_mutex_unlock(&f->lock);
}

size_t findings_kept(const struct findings *f)
{
	size_t most = f->cap < FINDINGS_MAX ? f->cap : FINDINGS_MAX;

	return f->nr < most ? f->nr : most;
}

static int by_place(const void *a, const void *b)
{
	const struct check_finding *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void findings_sort(struct findings *f)
{
	size_t kept = findings_kept(f);

	if (kept)
		qsort(f->items, kept, sizeof(*f->items), by_place);
}

void findings_release(struct findings *f)
{
	free(f->items);
	f->items = NULL;
	f->nr = f->cap = 0;
}
