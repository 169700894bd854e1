// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "streamer/directory/live_table_parts.h"

#define KSYMBOL_GONE 1 /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define BPF_LOADED   1 /* PERF_BPF_EVENT_PROG_LOAD */

static uint8_t *copy_record(const uint8_t *record)
{
	uint8_t *copy = malloc(live_size(record));

	return copy ? memcpy(copy, record, live_size(record)) : NULL;
}

/* Puts a copy of the record in the place of the one before. */
static int replace_record(uint8_t **at, const uint8_t *record)
{
	uint8_t *copy = copy_record(record);

	if (!copy)
		return -ENOMEM;
	free(*at);
	*at = copy;
	return 0;
}

static int append_map(struct maps *maps, const uint8_t *record)
{
	if (live_table_make_room((void **)&maps->records, maps->nr, &maps->cap,
				 sizeof(*maps->records)))
		return -ENOMEM;
	maps->records[maps->nr] = copy_record(record);
	return maps->records[maps->nr] ? (maps->nr++, 0) : -ENOMEM;
}

/* Maps of this process alone, which may be changed. */
static struct maps *own_maps(struct space *space)
{
	struct maps *shared = space->maps;

	if (shared && shared->nr_users == 1)
		return shared;
	space->maps = calloc(1, sizeof(*space->maps));
	if (shared)
		shared->nr_users--;
	if (!space->maps)
		return NULL;
	space->maps->nr_users = 1;
	for (size_t i = 0; shared && i < shared->nr; i++)
		if (append_map(space->maps, shared->records[i]))
			return NULL;
	return space->maps;
}

/* Adds a map in the place of those that it covers. */
static int add_map(struct space *space, const struct ts_record_mmap *map)
{
	uint64_t end = map->addr + map->len;
	struct maps *maps = own_maps(space);
	size_t kept = 0;

	if (!maps)
		return -ENOMEM;
	for (size_t i = 0; i < maps->nr; i++) {
		const struct ts_record_mmap *old = (const void *)maps->records[i];

		if (old->addr >= map->addr && old->addr + old->len <= end)
			free(maps->records[i]);
		else
			maps->records[kept++] = maps->records[i];
	}
	maps->nr = kept;
	return append_map(maps, (const uint8_t *)map);
}

static int apply_map(struct live_table *t, const struct ts_record_mmap *map)
{
	struct space *space;

	if (map->pid == (uint32_t)-1) /* the kernel, whose maps are reported once */
		return 0;
	space = live_table_task(t, map->pid, map->pid) ? live_table_space(t, map->pid) : NULL;
	return space ? add_map(space, map) : -ENOMEM;
}

/*
 * A thread that executes another program is the only one from then on, and has the number of the
 * first.
 */
static void end_others(struct live_table *t, uint32_t pid, uint64_t time_ns)
{
	for (uint32_t i = t->thread_heads[pid % LIVE_BUCKETS]; i != LIVE_NONE;
	     i = t->tasks[i].next_thread)
		if (t->tasks[i].pid == pid && t->tasks[i].tid != pid && !t->tasks[i].end_ns)
			t->tasks[i].end_ns = time_ns;
}

static int apply_comm(struct live_table *t, const uint8_t *record, uint64_t time_ns)
{
	const struct ts_record_thread *thread = (const void *)record;
	struct task *task = live_table_task(t, thread->pid, thread->tid);
	struct space *space = live_table_find_space(t, thread->pid);

	if (!task)
		return -ENOMEM;
	live_table_set_process(t, task, thread->pid);
	if (thread->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
		task->end_ns = 0;
		end_others(t, thread->pid, time_ns);
		if (space)
			live_table_clear_space(space);
	}
	return replace_record(&task->comm, record);
}

static int apply_namespaces(struct live_table *t, const uint8_t *record)
{
	const struct ts_record_thread *thread = (const void *)record;
	struct task *task = live_table_task(t, thread->pid, thread->tid);

	return task ? replace_record(&task->namespaces, record) : -ENOMEM;
}

/* Takes the name of the task that it was forked from. */
static int inherit_name(struct live_table *t, uint32_t tid, uint32_t ptid)
{
	const struct task *parent = live_table_find_task(t, ptid);
	struct task *task = live_table_find_task(t, tid);
	struct perf_event_header hdr;
	int code;

	if (!parent || !parent->comm || parent == task)
		return 0;
	code = replace_record(&task->comm, parent->comm);
	if (code)
		return code;
	memcpy(&hdr, task->comm, sizeof(hdr));
	hdr.misc &= (uint16_t)~PERF_RECORD_MISC_COMM_EXEC;
	memcpy(task->comm, &hdr, sizeof(hdr));
	live_set_thread(task->comm, task->pid, tid);
	return 0;
}

static int inherit_maps(struct live_table *t, uint32_t pid, uint32_t ppid)
{
	struct space *space = live_table_space(t, pid), *parent;

	if (!space)
		return -ENOMEM;
	parent = live_table_find_space(t, ppid); /* spaces may have been moved */
	live_table_clear_space(space);
	space->maps = parent && parent != space ? parent->maps : NULL;
	if (space->maps)
		space->maps->nr_users++;
	return 0;
}

static int apply_fork(struct live_table *t, const struct ts_record_task *fork)
{
	struct task *task = live_table_task(t, fork->pid, fork->tid);
	int code;

	if (!task)
		return -ENOMEM;
	live_table_clear_task(task);
	live_table_set_process(t, task, fork->pid);
	code = replace_record(&task->fork, (const uint8_t *)fork);
	if (code || fork->header.misc & PERF_RECORD_MISC_FORK_EXEC)
		return code;
	code = inherit_name(t, fork->tid, fork->ptid);
	return code || fork->pid == fork->ppid ? code : inherit_maps(t, fork->pid, fork->ppid);
}

static void apply_exit(struct live_table *t, const struct ts_record_task *exit, uint64_t time_ns)
{
	struct task *task = live_table_find_task(t, exit->tid);

	if (task)
		task->end_ns = time_ns;
}

static size_t find_thing(const struct live_table *t, uint32_t type, uint64_t key)
{
	const struct perf_event_header *hdr;
	size_t i;

	for (i = 0; i < t->nr_things; i++) {
		hdr = (const void *)t->things[i].record;
		if (hdr->type == type && t->things[i].key == key)
			break;
	}
	return i;
}

static int apply_thing(struct live_table *t, const uint8_t *record, uint64_t key, bool is_there)
{
	const struct perf_event_header *hdr = (const void *)record;
	size_t i = find_thing(t, hdr->type, key);

	if (i < t->nr_things && is_there)
		return replace_record(&t->things[i].record, record);
	if (i < t->nr_things) {
		free(t->things[i].record);
		t->nr_things--;
		memmove(t->things + i, t->things + i + 1, (t->nr_things - i) * sizeof(*t->things));
		return 0;
	}
	if (!is_there)
		return 0;
	if (live_table_make_room((void **)&t->things, t->nr_things, &t->cap_things,
				 sizeof(*t->things)))
		return -ENOMEM;
	t->things[i] = (struct thing){.key = key, .record = copy_record(record)};
	return t->things[i].record ? (t->nr_things++, 0) : -ENOMEM;
}

static int apply_ksymbol(struct live_table *t, const uint8_t *record)
{
	const struct ts_record_ksymbol *symbol = (const void *)record;

	return apply_thing(t, record, symbol->addr, !(symbol->flags & KSYMBOL_GONE));
}

static int apply_program(struct live_table *t, const uint8_t *record)
{
	const struct ts_record_bpf *program = (const void *)record;

	return apply_thing(t, record, program->id, program->type == BPF_LOADED);
}

/* Bytes that a record needs before its trailer. */
static size_t least_bytes(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return sizeof(struct ts_record_task);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return sizeof(struct ts_record_mmap);
	case PERF_RECORD_KSYMBOL:
		return sizeof(struct ts_record_ksymbol);
	default:
		return sizeof(struct ts_record_thread);
	}
}

int live_table_apply(struct live_table *t, const struct perf_event_header *hdr, uint64_t time_ns)
{
	const uint8_t *record = (const void *)hdr;

	if (hdr->size < least_bytes(hdr->type) + t->trailer_bytes)
		return 0;
	switch (hdr->type) {
	case PERF_RECORD_COMM:
		return apply_comm(t, record, time_ns);
	case PERF_RECORD_NAMESPACES:
		return apply_namespaces(t, record);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return apply_map(t, (const void *)record);
	case PERF_RECORD_FORK:
		return apply_fork(t, (const void *)record);
	case PERF_RECORD_EXIT:
		apply_exit(t, (const void *)record, time_ns);
		return 0;
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol(t, record);
	case PERF_RECORD_BPF_EVENT:
		return apply_program(t, record);
	default:
		return 0;
	}
}

int live_table_apply_run(struct live_table *t, const void *run, size_t len)
{
	const uint8_t *at = run, *end = at + len;
	int code = 0;

	while (!code && at < end) {
		code = live_table_apply(t, (const void *)at, 0);
		at += live_size(at);
	}
	return code;
}
