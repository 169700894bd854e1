// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/live_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/directory/live_table_parts.h"

#define LATE_NS (10 * TS_NS_PER_SEC) /* samples of a task may come so long after its end */

int live_table_make_room(void **items, size_t nr, size_t *cap, size_t item_bytes)
{
	size_t more = *cap ? *cap * 2 : 16;
	void *moved;

	if (nr < *cap)
		return 0;
	moved = realloc(*items, more * item_bytes);
	if (!moved)
		return -ENOMEM;
	*items = moved;
	*cap = more;
	return 0;
}

/* --- finding --- */

struct task *live_table_find_task(const struct live_table *t, uint32_t tid)
{
	for (uint32_t i = t->task_heads[tid % LIVE_BUCKETS]; i != LIVE_NONE; i = t->tasks[i].next)
		if (t->tasks[i].tid == tid)
			return &t->tasks[i];
	return NULL;
}

struct space *live_table_find_space(const struct live_table *t, uint32_t pid)
{
	for (uint32_t i = t->space_heads[pid % LIVE_BUCKETS]; i != LIVE_NONE; i = t->spaces[i].next)
		if (t->spaces[i].pid == pid)
			return &t->spaces[i];
	return NULL;
}

static void enter_thread(struct live_table *t, uint32_t i)
{
	uint32_t *head = &t->thread_heads[t->tasks[i].pid % LIVE_BUCKETS];

	t->tasks[i].next_thread = *head;
	*head = i;
}

static void enter_task(struct live_table *t, uint32_t i)
{
	uint32_t *head = &t->task_heads[t->tasks[i].tid % LIVE_BUCKETS];

	t->tasks[i].next = *head;
	*head = i;
	enter_thread(t, i);
}

void live_table_set_process(struct live_table *t, struct task *task, uint32_t pid)
{
	uint32_t *at = &t->thread_heads[task->pid % LIVE_BUCKETS], i = (uint32_t)(task - t->tasks);

	if (task->pid == pid)
		return;
	while (*at != i)
		at = &t->tasks[*at].next_thread;
	*at = task->next_thread;
	task->pid = pid;
	enter_thread(t, i);
}

static void enter_space(struct live_table *t, uint32_t i)
{
	uint32_t *head = &t->space_heads[t->spaces[i].pid % LIVE_BUCKETS];

	t->spaces[i].next = *head;
	*head = i;
}

struct task *live_table_task(struct live_table *t, uint32_t pid, uint32_t tid)
{
	struct task *task = live_table_find_task(t, tid);

	if (task)
		return task;
	if (live_table_make_room((void **)&t->tasks, t->nr_tasks, &t->cap_tasks, sizeof(*t->tasks)))
		return NULL;
	task = &t->tasks[t->nr_tasks];
	*task = (struct task){.tid = tid, .pid = pid};
	enter_task(t, (uint32_t)t->nr_tasks++);
	return task;
}

struct space *live_table_space(struct live_table *t, uint32_t pid)
{
	struct space *space = live_table_find_space(t, pid);

	if (space)
		return space;
	if (live_table_make_room((void **)&t->spaces, t->nr_spaces, &t->cap_spaces,
				 sizeof(*t->spaces)))
		return NULL;
	space = &t->spaces[t->nr_spaces];
	*space = (struct space){.pid = pid};
	enter_space(t, (uint32_t)t->nr_spaces++);
	return space;
}

/* --- forgetting --- */

void live_table_clear_task(struct task *task)
{
	free(task->fork);
	free(task->comm);
	free(task->namespaces);
	task->fork = task->comm = task->namespaces = NULL;
	task->end_ns = 0;
}

void live_table_clear_space(struct space *space)
{
	struct maps *maps = space->maps;

	space->maps = NULL;
	if (!maps || --maps->nr_users)
		return;
	for (size_t i = 0; i < maps->nr; i++)
		free(maps->records[i]);
	free(maps->records);
	free(maps);
}

static bool has_ended_before(const struct task *task, uint64_t before_ns)
{
	return task->end_ns && task->end_ns < before_ns;
}

static void forget_spaces(struct live_table *t)
{
	size_t kept = 0;
	bool *is_used = calloc(t->nr_spaces + 1, sizeof(*is_used));

	if (!is_used)
		return; /* try again next time */
	for (size_t i = 0; i < t->nr_tasks; i++) {
		struct space *space = live_table_find_space(t, t->tasks[i].pid);

		if (space)
			is_used[space - t->spaces] = true;
	}
	memset(t->space_heads, 0xff, sizeof(t->space_heads));
	for (size_t i = 0; i < t->nr_spaces; i++) {
		if (is_used[i])
			t->spaces[kept++] = t->spaces[i];
		else
			live_table_clear_space(&t->spaces[i]);
	}
	t->nr_spaces = kept;
	for (uint32_t i = 0; i < kept; i++)
		enter_space(t, i);
	free(is_used);
}

/* A process keeps its maps with its first thread, even if that one ended before others. */
static void mark_needed(struct live_table *t, uint64_t before_ns)
{
	for (size_t i = 0; i < t->nr_tasks; i++)
		t->tasks[i].is_needed = false;
	for (size_t i = 0; i < t->nr_tasks; i++) {
		struct task *first = live_table_find_task(t, t->tasks[i].pid);

		if (first && !has_ended_before(&t->tasks[i], before_ns))
			first->is_needed = true;
	}
}

static void clear_task_heads(struct live_table *t)
{
	memset(t->task_heads, 0xff, sizeof(t->task_heads));
	memset(t->thread_heads, 0xff, sizeof(t->thread_heads));
}

void live_table_forget(struct live_table *t, uint64_t before_ns)
{
	size_t kept = 0;

	mark_needed(t, before_ns);
	clear_task_heads(t);
	for (size_t i = 0; i < t->nr_tasks; i++) {
		if (has_ended_before(&t->tasks[i], before_ns) && !t->tasks[i].is_needed)
			live_table_clear_task(&t->tasks[i]);
		else
			t->tasks[kept++] = t->tasks[i];
	}
	t->nr_tasks = kept;
	for (uint32_t i = 0; i < kept; i++)
		enter_task(t, i);
	forget_spaces(t);
}

void live_table_forget_ended(struct live_table *t, uint64_t now_ns)
{
	live_table_forget(t, now_ns > LATE_NS ? now_ns - LATE_NS : 0);
}

/* --- telling --- */

static uint8_t *put_record(const struct live_table *t, struct ts_bytes *out, const uint8_t *record)
{
	size_t len = live_size(record);
	uint8_t *at = ts_bytes_reserve(out, len);

	if (!at)
		return NULL;
	memcpy(at, record, len);
	memset(at + len - t->trailer_bytes, 0, t->trailer_bytes);
	out->len += len;
	return at;
}

/* Marks the FORK as FORK_EXEC, because its maps follow as records of their own. */
static void put_fork(const struct live_table *t, struct ts_bytes *out, const uint8_t *record)
{
	uint8_t *at = put_record(t, out, record);
	struct perf_event_header hdr;

	if (!at)
		return;
	memcpy(&hdr, at, sizeof(hdr));
	hdr.misc |= PERF_RECORD_MISC_FORK_EXEC;
	memcpy(at, &hdr, sizeof(hdr));
	((struct ts_record_task *)at)->time = 0;
}

/* The record may be one of the process that this one was forked from. */
static void put_map(const struct live_table *t, struct ts_bytes *out, const uint8_t *record,
		    uint32_t pid)
{
	uint8_t *at = put_record(t, out, record);

	if (at && ((const struct ts_record_thread *)at)->pid != pid)
		live_set_thread(at, pid, pid);
}

static void put_task(const struct live_table *t, struct ts_bytes *out, const struct task *task)
{
	const struct space *space =
		task->tid == task->pid ? live_table_find_space(t, task->pid) : NULL;

	if (task->fork)
		put_fork(t, out, task->fork);
	if (task->namespaces)
		put_record(t, out, task->namespaces);
	if (task->comm)
		put_record(t, out, task->comm);
	for (size_t i = 0; space && space->maps && i < space->maps->nr; i++)
		put_map(t, out, space->maps->records[i], task->pid);
}

void live_table_put(const struct live_table *t, const struct needed_tasks *without,
		    struct ts_bytes *tasks, struct ts_bytes *others)
{
	for (size_t i = 0; tasks && i < t->nr_tasks; i++)
		if (!without || !needed_tasks_since(without, t->tasks[i].pid))
			put_task(t, tasks, &t->tasks[i]);
	for (size_t i = 0; others && i < t->nr_things; i++)
		put_record(t, others, t->things[i].record);
}

size_t live_table_nr_tasks(const struct live_table *t)
{
	return t->nr_tasks;
}

size_t live_table_nr_maps(const struct live_table *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_spaces; i++)
		nr += t->spaces[i].maps ? t->spaces[i].maps->nr : 0;
	return nr;
}

struct live_table *live_table_new(size_t trailer_bytes)
{
	struct live_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->trailer_bytes = trailer_bytes;
	clear_task_heads(t);
	memset(t->space_heads, 0xff, sizeof(t->space_heads));
	return t;
}

void live_table_free(struct live_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_tasks; i++)
		live_table_clear_task(&t->tasks[i]);
	for (size_t i = 0; i < t->nr_spaces; i++)
		live_table_clear_space(&t->spaces[i]);
	for (size_t i = 0; i < t->nr_things; i++)
		free(t->things[i].record);
	free(t->tasks);
	free(t->spaces);
	free(t->things);
	free(t);
}
