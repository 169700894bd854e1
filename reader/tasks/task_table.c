// SPDX-License-Identifier: Apache-2.0
#include "reader/tasks/task_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more item; returns the array, or NULL. */
static void *room_for_one(void *items, uint32_t nr, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? 2 * *cap : 2;

	if (nr < *cap)
		return items;
	items = more > INT32_MAX ? NULL : reallocarray(items, more, size);
	if (items)
		*cap = more;
	return items;
}

/* Makes *items hold one more, zeroed, and counts it; the new one, or NULL. */
#define ADD_ONE(items, nr, cap) add_one((void **)&(items), &(nr), &(cap), sizeof(*(items)))

static void *add_one(void **items, uint32_t *nr, uint32_t *cap, size_t size)
{
	void *grown = room_for_one(*items, *nr, cap, size);

	if (!grown)
		return NULL;
	*items = grown;
	return memset((char *)grown + size * (*nr)++, 0, size);
}

/* --- names and mapped objects --- */

int task_table_name(struct tasks *t, const char *text, uint32_t *ret)
{
	uint32_t hash = hash_index_hash(&t->name_of_text, text, strlen(text));
	struct hash_walk walk = hash_walk(&t->name_of_text, hash);
	char **name;

	while (hash_walk_next(&t->name_of_text, &walk, ret)) {
		if (!strcmp(t->names[*ret], text))
			return 0;
	}
	name = ADD_ONE(t->names, t->nr_names, t->cap_names);
	if (!name)
		return -ENOMEM;
	*name = strdup(text);
	*ret = t->nr_names - 1;
	return *name ? hash_index_add(&t->name_of_text, hash, *ret) : -ENOMEM;
}

static bool is_same_dso(const struct task_dso *a, const struct task_dso *b)
{
	return a->is_kernel == b->is_kernel && a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, sizeof(a->build_id)) && !strcmp(a->path, b->path);
}

int task_table_dso(struct tasks *t, const struct task_dso *wanted, uint32_t *ret)
{
	uint32_t hash = hash_index_hash(&t->dso_of_path, wanted->path, strlen(wanted->path));
	struct hash_walk walk = hash_walk(&t->dso_of_path, hash);
	struct task_dso *dso;

	while (hash_walk_next(&t->dso_of_path, &walk, ret)) {
		if (!is_same_dso(&t->dsos[*ret], wanted))
			continue;
		t->dsos[*ret].pid = wanted->pid;
		return 0;
	}
	dso = ADD_ONE(t->dsos, t->nr_dsos, t->cap_dsos);
	if (!dso)
		return -ENOMEM;
	*dso = *wanted;
	dso->path = strdup(wanted->path);
	*ret = t->nr_dsos - 1;
	return dso->path ? hash_index_add(&t->dso_of_path, hash, *ret) : -ENOMEM;
}

/* --- threads --- */

struct task_thread *task_table_find_thread(const struct tasks *t, uint32_t tid)
{
	struct hash_walk walk = hash_walk(&t->thread_of_tid, tid);
	uint32_t i;

	return hash_walk_next(&t->thread_of_tid, &walk, &i) ? &t->threads[i] : NULL;
}

struct task_thread *task_table_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct task_thread *thread = task_table_find_thread(t, tid);

	if (thread)
		return thread;
	thread = ADD_ONE(t->threads, t->nr_threads, t->cap_threads);
	if (!thread)
		return NULL;
	*thread = (struct task_thread){.tid = tid, .pid = pid};
	if (!hash_index_add(&t->thread_of_tid, tid, t->nr_threads - 1))
		return thread;
	t->nr_threads--;
	return NULL;
}

uint32_t task_thread_name(const struct task_thread *thread)
{
	return thread->nr ? thread->comms[thread->nr - 1].name : TASK_NO_NAME;
}

static int add_version(struct tasks *t, struct task_thread *thread, uint32_t name, bool is_birth)
{
	struct task_comm *last = thread->nr ? &thread->comms[thread->nr - 1] : NULL;
	uint32_t births;

	if (last && last->time_ns == t->now_ns) {
		last->name = name;
		births = thread->nr > 1 ? last[-1].births : 0;
		last->births = is_birth ? births + 1 : last->births;
		return 0;
	}
	births = (last ? last->births : 0) + is_birth;
	last = ADD_ONE(thread->comms, thread->nr, thread->cap);
	if (!last)
		return -ENOMEM;
	*last = (struct task_comm){.time_ns = t->now_ns, .name = name, .births = births};
	return 0;
}

int task_thread_rename(struct tasks *t, struct task_thread *thread, uint32_t name)
{
	return task_thread_name(thread) == name ? 0 : add_version(t, thread, name, false);
}

int task_thread_begin(struct tasks *t, struct task_thread *thread, uint32_t name)
{
	return add_version(t, thread, name, true);
}

/* --- processes --- */

struct task_process *task_table_find_process(const struct tasks *t, uint32_t pid)
{
	struct hash_walk walk = hash_walk(&t->process_of_pid, pid);
	uint32_t i;

	return hash_walk_next(&t->process_of_pid, &walk, &i) ? &t->processes[i] : NULL;
}

static struct task_process *process_of(struct tasks *t, uint32_t pid)
{
	struct task_process *process = task_table_find_process(t, pid);

	if (process)
		return process;
	process = ADD_ONE(t->processes, t->nr_processes, t->cap_processes);
	if (!process)
		return NULL;
	process->pid = pid;
	if (!hash_index_add(&t->process_of_pid, pid, t->nr_processes - 1))
		return process;
	t->nr_processes--;
	return NULL;
}

uint32_t task_table_space(const struct tasks *t, uint32_t pid)
{
	const struct task_process *process = task_table_find_process(t, pid);

	return process && process->nr ? process->lives[process->nr - 1].space : TASK_NO_SPACE;
}

int task_table_add_space(struct tasks *t, uint32_t parent)
{
	struct task_space *space = ADD_ONE(t->spaces, t->nr_spaces, t->cap_spaces);

	if (!space)
		return -ENOMEM;
	space->parent = space->forked_from = parent;
	if (parent == TASK_NO_SPACE)
		return 0;
	space->nr_execs = space->fork_execs = t->spaces[parent].nr_execs;
	space->parent_limit = t->spaces[parent].maps.nr;
	if (!space->parent_limit) {
		/* A chain of forks without maps would be walked at each lookup. */
		space->parent = t->spaces[parent].parent;
		space->parent_limit = t->spaces[parent].parent_limit;
	}
	if (space->parent != TASK_NO_SPACE)
		space->depth = t->spaces[space->parent].depth + 1;
	t->has_deep |= space->depth > FORK_DEPTH_MAX;
	return 0;
}

int task_table_begin_life(struct tasks *t, uint32_t pid, uint32_t parent)
{
	struct task_process *process = process_of(t, pid);
	struct task_life *life;

	if (!process || task_table_add_space(t, parent))
		return -ENOMEM;
	life = ADD_ONE(process->lives, process->nr, process->cap);
	if (!life)
		return -ENOMEM;
	*life = (struct task_life){.begin_ns = t->now_ns, .space = t->nr_spaces - 1};
	t->spaces[life->space].pid = pid;
	return 0;
}
