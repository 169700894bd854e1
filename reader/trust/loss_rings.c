// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/loss_rings.h"

#include <stdbool.h>
#include <stdlib.h>

#include "reader/capture/account.h"

#define RINGS_FIRST 8

static bool make_room(struct loss *l)
{
	const size_t cap = l->cap ? 2 * l->cap : RINGS_FIRST;
	struct loss_ring *grown;

	if (l->nr < l->cap)
		return true;
	grown = realloc(l->rings, cap * sizeof(*grown));
	if (!grown)
		return false;
	l->rings = grown;
	l->cap = cap;
	return true;
}

struct loss_ring *loss_rings_find(struct loss *l, uint32_t number)
{
	struct hash_walk walk = hash_walk(&l->by_number, number);
	uint32_t at;

	if (hash_walk_next(&l->by_number, &walk, &at))
		return &l->rings[at];
	if (l->nr > ACCOUNT_RINGS_MAX) /* too many numbers share the last ring */
		return &l->rings[ACCOUNT_RINGS_MAX];
	if (!make_room(l) || hash_index_add(&l->by_number, number, (uint32_t)l->nr))
		return NULL;
	l->rings[l->nr] = (struct loss_ring){.number = number, .cpu = number};
	return &l->rings[l->nr++];
}
