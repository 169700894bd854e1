// SPDX-License-Identifier: Apache-2.0
#include "reader/damage.h"

#include <errno.h>
#include <stdlib.h>

#include "common/number.h"

int damage_add(struct damage *d, const struct chunk_damage *place)
{
	if (d->nr < DAMAGE_MAX && d->nr == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 16;
		struct chunk_damage *grown = realloc(d->items, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		d->items = grown;
		d->cap = cap;
	}
	if (d->nr < DAMAGE_MAX)
		d->items[d->nr] = *place;
	d->nr++;
	return 0;
}

size_t damage_kept(const struct damage *d)
{
	return ts_min(d->nr, DAMAGE_MAX);
}

static int by_place(const void *a, const void *b)
{
	const struct chunk_damage *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void damage_sort(struct damage *d)
{
	size_t kept = damage_kept(d);

	if (kept)
		qsort(d->items, kept, sizeof(*d->items), by_place);
}

void damage_release(struct damage *d)
{
	free(d->items);
	*d = (struct damage){0};
}
