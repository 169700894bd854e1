// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/loss_rings.h"

#include <stdlib.h>

#include "reader/capture/account.h"

struct loss_ring *loss_rings_find(struct loss *l, uint32_t number)
{
	struct hash_walk walk = hash_walk(&l->by_number, number);
	struct loss_ring *grown;
	uint32_t at;

	if (hash_walk_next(&l->by_number, &walk, &at))
		return &l->rings[at];
	if (l->nr > ACCOUNT_RINGS_MAX) /* too many numbers share the last ring */
		return &l->rings[ACCOUNT_RINGS_MAX];
	grown = realloc(l->rings, (l->nr + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	l->rings = grown;
	if (hash_index_add(&l->by_number, number, (uint32_t)l->nr))
		return NULL;
	grown[l->nr] = (struct loss_ring){.number = number, .cpu = number};
	return &grown[l->nr++];
}
