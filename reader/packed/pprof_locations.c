// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/pprof_locations.h"

#include <errno.h>

#include "common/base/min_max.h"

#define FEWEST 256

int pprof_locations_init(struct pprof_locations *l, const struct frame_looks *looks,
			 struct memory *memory)
{
	*l = (struct pprof_locations){
		.memory = memory,
		.looks = looks,
		.of_look = memory_new(memory, (size_t)looks->nr + 1, sizeof(*l->of_look)),
	};
	return l->of_look ? 0 : -ENOMEM;
}

/* Adds a location. Its number; 0: out of memory. */
static uint32_t add(struct pprof_locations *l, uint32_t look, uint32_t around)
{
	const uint32_t nr_lines = around ? l->items[around - 1].nr_lines + 1 : 1;

	if (l->nr == l->cap) {
		const uint32_t cap = ts_max(l->cap + l->cap / 2, (uint32_t)FEWEST);
		struct pprof_location *items = NULL;

		if (cap > l->cap)
			items = memory_resize(l->memory, l->items, cap, sizeof(*items));
		if (!items)
			return 0;
		l->items = items;
		l->cap = cap;
	}
	l->items[l->nr++] = (struct pprof_location){look, around, nr_lines};
	l->most_lines = ts_max(l->most_lines, nr_lines);
	return l->nr;
}

static uint32_t find_plain(struct pprof_locations *l, uint32_t look)
{
	if (!l->of_look[look])
		l->of_look[look] = add(l, look, 0);
	return l->of_look[look];
}

static uint32_t find_within(struct pprof_locations *l, uint32_t look, uint32_t around)
{
	const uint32_t pair[] = {around, look};
	const uint32_t hash = hash_index_hash(&l->within, pair, sizeof(pair));
	struct hash_walk walk = hash_walk(&l->within, hash);
	uint32_t at;

	while (hash_walk_next(&l->within, &walk, &at))
		if (l->items[at].look == look && l->items[at].around == around)
			return at + 1;
	at = add(l, look, around);
	return at && !hash_index_add(&l->within, hash, at - 1) ? at : 0;
}

uint32_t pprof_locations_take(struct pprof_locations *l, const struct stack_paths *paths,
			      const struct stack_path *path, uint64_t *ids)
{
	const uint32_t *looks = paths->numbers + path->first;
	const bool has_command = l->looks->items[looks[0]].kind == FRAME_KIND_COMMAND;
	uint32_t at = path->nr;

	for (uint32_t i = has_command; i < path->nr; i++) {
		const bool is_within =
			at < path->nr && l->looks->items[looks[i]].kind == FRAME_KIND_INLINED;
		const uint32_t number = is_within ? find_within(l, looks[i], (uint32_t)ids[at])
						  : find_plain(l, looks[i]);

		if (!number)
			return 0;
		ids[is_within ? at : --at] = number;
	}
	return path->nr - at;
}

void pprof_locations_release(struct pprof_locations *l)
{
	memory_free(l->items);
	memory_free(l->of_look);
	hash_index_release(&l->within);
	*l = (struct pprof_locations){0};
}
