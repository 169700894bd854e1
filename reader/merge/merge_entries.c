// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/merge_entries.h"

#include <errno.h>
#include <stdlib.h>

int merge_view_open(struct merge_view *v, struct merge *m,
		    int (*compare)(const void *, const void *, void *))
{
	*v = (struct merge_view){0};
	v->items = memory_new(m->capture.memory, m->nr_entries + 1, sizeof(*v->items));
	if (!v->items)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_entries; i++)
		if (!m->entries[i].is_left_out)
			v->items[v->nr++] = &m->entries[i];
	qsort_r(v->items, v->nr, sizeof(*v->items), compare, m);
	return 0;
}

void merge_view_close(struct merge_view *v)
{
	memory_free(v->items);
	*v = (struct merge_view){0};
}

void merge_leave_out_entry(struct merge *m, struct merge_entry *e)
{
	e->is_left_out = true;
	m->parts[e->part].nr_twice++;
	m->nr_twice += merge_chunk_of(m, e)->nr_records;
}
