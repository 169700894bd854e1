// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/damage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/min_max.h"

struct chunk_damage damage_at(uint32_t stream, uint64_t offset, uint64_t bytes, const char *text)
{
	struct chunk_damage ret = {.stream = stream, .offset = offset, .bytes = bytes};

	snprintf(ret.text, sizeof(ret.text), "%.*s", (int)sizeof(ret.text) - 1, text);
	return ret;
}

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

static bool is_named(const struct damage *d, const struct chunk_damage *place)
{
	for (size_t i = 0; i < damage_kept(d); i++)
		if (d->items[i].stream == place->stream && d->items[i].offset == place->offset)
			return true;
	return false;
}

int damage_merge(struct damage *d, const struct damage *from)
{
	size_t kept = damage_kept(from);
	int rc = 0;

	for (size_t i = 0; !rc && i < kept; i++)
		if (!is_named(d, &from->items[i]))
			rc = damage_add(d, &from->items[i]);
	if (!rc)
		d->nr += from->nr - kept;
	return rc;
}

size_t damage_kept(const struct damage *d)
{
	return ts_min(d->nr, DAMAGE_MAX);
}

uint64_t damage_bytes(const struct damage *d)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < damage_kept(d); i++)
		bytes += d->items[i].bytes;
	return bytes;
}

uint64_t damage_doubtful(const struct damage *d)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < damage_kept(d); i++)
		nr += d->items[i].nr_doubtful;
	return nr;
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
