// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_groups.h"

#include <errno.h>

#include "common/base/min_max.h"

int timed_groups_init(struct timed_groups *g, size_t nr_paths, struct memory *memory)
{
	*g = (struct timed_groups){
		.heads = memory_new(memory, nr_paths + 1, sizeof(*g->heads)),
		.links = memory_new(memory, TIMED_GROUPS_RUN, sizeof(*g->links)),
		.items = memory_new(memory, TIMED_GROUPS_RUN, sizeof(*g->items)),
	};
	return g->heads && g->links && g->items ? 0 : -ENOMEM;
}

void timed_groups_release(struct timed_groups *g)
{
	memory_free(g->heads);
	memory_free(g->links);
	memory_free(g->items);
	*g = (struct timed_groups){0};
}

/* Links the samples of each path, from the last one on, so that lists are in the order of time. */
static void begin_run(struct timed_groups *g)
{
	g->nr = (uint32_t)ts_min((uint64_t)(g->end - g->run), (uint64_t)TIMED_GROUPS_RUN);
	g->at = 0;
	for (uint32_t i = g->nr; i-- > 0;) {
		uint32_t *head = &g->heads[g->run[i].path];

		g->links[i] = *head;
		*head = i + 1;
	}
}

void timed_groups_begin(struct timed_groups *g, const struct timed_samples *samples,
			const struct timed_thread *thread)
{
	g->run = samples->items + thread->first;
	g->end = g->run + thread->nr;
	begin_run(g);
}

/* The first sample of a group is met before all others of it, and takes the list. */
static void take_group(struct timed_groups *g)
{
	uint32_t *head = &g->heads[g->run[g->at].path];

	g->nr_items = 0;
	for (uint32_t i = *head; i; i = g->links[i - 1])
		g->items[g->nr_items++] = &g->run[i - 1];
	*head = 0;
}

bool timed_groups_next(struct timed_groups *g)
{
	for (;;) {
		while (g->at < g->nr && g->heads[g->run[g->at].path] != g->at + 1)
			g->at++;
		if (g->at < g->nr)
			break;
		if (g->run + g->nr == g->end)
			return false;
		g->run += g->nr;
		begin_run(g);
	}
	take_group(g);
	return true;
}
