// SPDX-License-Identifier: Apache-2.0
#include "tests/support/task_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void model_release(struct task_model *m)
{
	for (uint32_t i = 0; i < MODEL_TIDS; i++) {
		free(m->space[i].maps);
		m->space[i] = (struct model_space){0};
	}
}

void model_comm(struct task_model *m, uint32_t tid, uint32_t name)
{
	m->name[tid] = name;
}

static void add(struct model_space *s, uint64_t start, uint64_t end, uint32_t path)
{
	if (start >= end)
		return;
	s->maps = reallocarray(s->maps, s->nr + 1, sizeof(*s->maps));
	assert(s->maps);
	s->maps[s->nr++] = (struct model_map){start, end, path};
}

void model_fork(struct task_model *m, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
		int copies)
{
	struct model_space born = {0};

	m->name[tid] = m->name[ptid];
	if (pid != tid)
		return;
	for (uint32_t i = 0; copies && i < m->space[ppid].nr; i++)
		add(&born, m->space[ppid].maps[i].start, m->space[ppid].maps[i].end,
		    m->space[ppid].maps[i].path);
	free(m->space[pid].maps);
	m->space[pid] = born;
}

void model_map(struct task_model *m, uint32_t pid, uint64_t start, uint64_t end, uint32_t path)
{
	struct model_space after = {0};

	for (uint32_t i = 0; i < m->space[pid].nr; i++) {
		struct model_map *old = &m->space[pid].maps[i];

		add(&after, old->start, old->end < start ? old->end : start, old->path);
		add(&after, old->start > end ? old->start : end, old->end, old->path);
	}
	add(&after, start, end, path);
	free(m->space[pid].maps);
	m->space[pid] = after;
}

uint32_t model_path(const struct task_model *m, uint32_t pid, uint64_t addr)
{
	for (uint32_t i = 0; i < m->space[pid].nr; i++) {
		const struct model_map *map = &m->space[pid].maps[i];

		if (addr >= map->start && addr < map->end)
			return map->path;
	}
	return 0;
}
