// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/cpu_absence.h"

#include <stdlib.h>

struct cpu_absence *cpu_absence_of(const struct absences *list, unsigned int cpu)
{
	for (size_t i = list->nr; i-- > 0;)
		if (list->items[i].cpu == cpu && !list->items[i].to_ns)
			return &list->items[i];
	return NULL;
}

struct cpu_absence *cpu_absence_begin(struct absences *list, unsigned int cpu, uint64_t now_ns)
{
	struct cpu_absence *items = cpu_absence_of(list, cpu);

	if (items)
		return items;
	items = reallocarray(list->items, list->nr + 1, sizeof(*items));
	if (!items)
		return NULL;
	list->items = items;
	items[list->nr] = (struct cpu_absence){.cpu = cpu, .from_ns = now_ns};
	return &items[list->nr++];
}

void cpu_absence_end(struct cpu_absence *a, uint64_t now_ns)
{
	a->to_ns = now_ns;
}

void absences_release(struct absences *list)
{
	free(list->items);
	*list = (struct absences){0};
}
