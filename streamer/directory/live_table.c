// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/live_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/perf/record.h"

#define LATE_NS (10 * TS_NS_PER_SEC) /* samples of a task may come so long after its end */
#define BUCKETS 4096u		     /* a power of two */
#define NONE	UINT32_MAX

/* Offsets of fields from the start of the record (include/uapi/linux/perf_event.h). */
#define PID_OFF	      8
#define TID_OFF	      12 /* of COMM, MMAP, MMAP2, NAMESPACES */
#define FORK_PPID     12
#define FORK_TID      16
#define FORK_PTID     20
#define FORK_TIME     24
#define FORK_BYTES    32
#define MAP_START     16
#define MAP_LEN	      24
#define MAP_BYTES     40
#define KSYMBOL_ADDR  8
#define KSYMBOL_FLAGS 22
#define BPF_TYPE      8
#define BPF_ID	      12

#define KSYMBOL_GONE 1 /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define BPF_LOADED   1 /* PERF_BPF_EVENT_PROG_LOAD */

struct task {
	uint32_t tid, pid;
	uint32_t next, next_thread;	   /* in its buckets, by tid and by pid; NONE: the last */
	uint64_t end_ns;		   /* time of its EXIT; 0: it lives */
	bool is_needed;			   /* it has ended, but threads of its process live */
	uint8_t *fork, *comm, *namespaces; /* whole records, owned; NULL: none */
};

struct maps { /* of a process, and of those forked from it, up to the first change */
	size_t nr_users, nr, cap;
	uint8_t **records; /* owned, in the order in which they came */
};

struct space { /* of a process */
	uint32_t pid, next;
	struct maps *maps; /* NULL: none */
};

struct thing { /* of the whole machine */
	uint64_t key;
	uint8_t *record; /* owned */
};

struct live_table {
	size_t trailer_bytes;
	struct task *tasks;
	struct space *spaces;
	struct thing *things;
	size_t nr_tasks, cap_tasks, nr_spaces, cap_spaces, nr_things, cap_things;
	uint32_t task_heads[BUCKETS], thread_heads[BUCKETS], space_heads[BUCKETS];
};

static uint32_t field(const uint8_t *record, size_t off)
{
	return ts_record_load_u32(record + off);
}

static size_t size_of(const uint8_t *record)
{
	return ts_record_load_u16(record + offsetof(struct perf_event_header, size));
}

static uint8_t *copy_record(const uint8_t *record)
{
	uint8_t *copy = malloc(size_of(record));

	return copy ? memcpy(copy, record, size_of(record)) : NULL;
}

static void set_field(uint8_t *record, size_t off, uint32_t value)
{
	memcpy(record + off, &value, sizeof(value));
}

/* Room for one more item of an array. */
static int make_room(void **items, size_t nr, size_t *cap, size_t item_bytes)
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

static struct task *find_task(const struct live_table *t, uint32_t tid)
{
	for (uint32_t i = t->task_heads[tid % BUCKETS]; i != NONE; i = t->tasks[i].next)
		if (t->tasks[i].tid == tid)
			return &t->tasks[i];
	return NULL;
}

static struct space *find_space(const struct live_table *t, uint32_t pid)
{
	for (uint32_t i = t->space_heads[pid % BUCKETS]; i != NONE; i = t->spaces[i].next)
		if (t->spaces[i].pid == pid)
			return &t->spaces[i];
	return NULL;
}

static void enter_thread(struct live_table *t, uint32_t i)
{
	uint32_t *head = &t->thread_heads[t->tasks[i].pid % BUCKETS];

	t->tasks[i].next_thread = *head;
	*head = i;
}

static void enter_task(struct live_table *t, uint32_t i)
{
	uint32_t *head = &t->task_heads[t->tasks[i].tid % BUCKETS];

	t->tasks[i].next = *head;
	*head = i;
	enter_thread(t, i);
}

/* A thread of another process has this tid now. */
static void set_process(struct live_table *t, struct task *task, uint32_t pid)
{
	uint32_t *at = &t->thread_heads[task->pid % BUCKETS], i = (uint32_t)(task - t->tasks);

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
	uint32_t *head = &t->space_heads[t->spaces[i].pid % BUCKETS];

	t->spaces[i].next = *head;
	*head = i;
}

static struct task *task_of(struct live_table *t, uint32_t pid, uint32_t tid)
{
	struct task *task = find_task(t, tid);

	if (task)
		return task;
	if (make_room((void **)&t->tasks, t->nr_tasks, &t->cap_tasks, sizeof(*t->tasks)))
		return NULL;
	task = &t->tasks[t->nr_tasks];
	*task = (struct task){.tid = tid, .pid = pid};
	enter_task(t, (uint32_t)t->nr_tasks++);
	return task;
}

static struct space *space_of(struct live_table *t, uint32_t pid)
{
	struct space *space = find_space(t, pid);

	if (space)
		return space;
	if (make_room((void **)&t->spaces, t->nr_spaces, &t->cap_spaces, sizeof(*t->spaces)))
		return NULL;
	space = &t->spaces[t->nr_spaces];
	*space = (struct space){.pid = pid};
	enter_space(t, (uint32_t)t->nr_spaces++);
	return space;
}

/* --- forgetting --- */

static void clear_task(struct task *task)
{
	free(task->fork);
	free(task->comm);
	free(task->namespaces);
	task->fork = task->comm = task->namespaces = NULL;
	task->end_ns = 0;
}

static void clear_space(struct space *space)
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
		struct space *space = find_space(t, t->tasks[i].pid);

		if (space)
			is_used[space - t->spaces] = true;
	}
	memset(t->space_heads, 0xff, sizeof(t->space_heads));
	for (size_t i = 0; i < t->nr_spaces; i++) {
		if (is_used[i])
			t->spaces[kept++] = t->spaces[i];
		else
			clear_space(&t->spaces[i]);
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
		struct task *first = find_task(t, t->tasks[i].pid);

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
			clear_task(&t->tasks[i]);
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

/* --- applying --- */

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
	if (make_room((void **)&maps->records, maps->nr, &maps->cap, sizeof(*maps->records)))
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
static int add_map(struct space *space, const uint8_t *record)
{
	uint64_t start = ts_record_load_u64(record + MAP_START),
		 end = start + ts_record_load_u64(record + MAP_LEN);
	struct maps *maps = own_maps(space);
	size_t kept = 0;

	if (!maps)
		return -ENOMEM;
	for (size_t i = 0; i < maps->nr; i++) {
		uint64_t from = ts_record_load_u64(maps->records[i] + MAP_START);

		if (from >= start && from + ts_record_load_u64(maps->records[i] + MAP_LEN) <= end)
			free(maps->records[i]);
		else
			maps->records[kept++] = maps->records[i];
	}
	maps->nr = kept;
	return append_map(maps, record);
}

static int apply_map(struct live_table *t, const uint8_t *record)
{
	uint32_t pid = field(record, PID_OFF);
	struct space *space;

	if (pid == (uint32_t)-1) /* the kernel, whose maps are reported once */
		return 0;
	space = task_of(t, pid, pid) ? space_of(t, pid) : NULL;
	return space ? add_map(space, record) : -ENOMEM;
}

/*
 * A thread that executes another program is the only one from then on, and has the number of the
 * first.
 */
static void end_others(struct live_table *t, uint32_t pid, uint64_t time_ns)
{
	for (uint32_t i = t->thread_heads[pid % BUCKETS]; i != NONE; i = t->tasks[i].next_thread)
		if (t->tasks[i].pid == pid && t->tasks[i].tid != pid && !t->tasks[i].end_ns)
			t->tasks[i].end_ns = time_ns;
}

static int apply_comm(struct live_table *t, const uint8_t *record, uint64_t time_ns)
{
	uint32_t pid = field(record, PID_OFF), tid = field(record, TID_OFF);
	const struct perf_event_header *hdr = (const void *)record;
	struct task *task = task_of(t, pid, tid);
	struct space *space = find_space(t, pid);

	if (!task)
		return -ENOMEM;
	set_process(t, task, pid);
	if (hdr->misc & PERF_RECORD_MISC_COMM_EXEC) {
		task->end_ns = 0;
		end_others(t, pid, time_ns);
		if (space)
			clear_space(space);
	}
	return replace_record(&task->comm, record);
}

static int apply_namespaces(struct live_table *t, const uint8_t *record)
{
	struct task *task = task_of(t, field(record, PID_OFF), field(record, TID_OFF));

	return task ? replace_record(&task->namespaces, record) : -ENOMEM;
}

/* Takes the name of the task that it was forked from. */
static int inherit_name(struct live_table *t, uint32_t tid, uint32_t ptid)
{
	const struct task *parent = find_task(t, ptid);
	struct task *task = find_task(t, tid);
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
	set_field(task->comm, PID_OFF, task->pid);
	set_field(task->comm, TID_OFF, tid);
	return 0;
}

static int inherit_maps(struct live_table *t, uint32_t pid, uint32_t ppid)
{
	struct space *space = space_of(t, pid), *parent;

	if (!space)
		return -ENOMEM;
	parent = find_space(t, ppid); /* spaces may have been moved */
	clear_space(space);
	space->maps = parent && parent != space ? parent->maps : NULL;
	if (space->maps)
		space->maps->nr_users++;
	return 0;
}

static int apply_fork(struct live_table *t, const uint8_t *record)
{
	uint32_t pid = field(record, PID_OFF), ppid = field(record, FORK_PPID);
	uint32_t tid = field(record, FORK_TID);
	const struct perf_event_header *hdr = (const void *)record;
	struct task *task = task_of(t, pid, tid);
	int code;

	if (!task)
		return -ENOMEM;
	clear_task(task);
	set_process(t, task, pid);
	code = replace_record(&task->fork, record);
	if (code || hdr->misc & PERF_RECORD_MISC_FORK_EXEC)
		return code;
	code = inherit_name(t, tid, field(record, FORK_PTID));
	return code || pid == ppid ? code : inherit_maps(t, pid, ppid);
}

static void apply_exit(struct live_table *t, const uint8_t *record, uint64_t time_ns)
{
	struct task *task = find_task(t, field(record, FORK_TID));

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
	if (make_room((void **)&t->things, t->nr_things, &t->cap_things, sizeof(*t->things)))
		return -ENOMEM;
	t->things[i] = (struct thing){.key = key, .record = copy_record(record)};
	return t->things[i].record ? (t->nr_things++, 0) : -ENOMEM;
}

/* Bytes that a record needs before its trailer. */
static size_t least_bytes(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return FORK_BYTES;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return MAP_BYTES;
	case PERF_RECORD_KSYMBOL:
		return 24;
	default:
		return 16;
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
		return apply_map(t, record);
	case PERF_RECORD_FORK:
		return apply_fork(t, record);
	case PERF_RECORD_EXIT:
		apply_exit(t, record, time_ns);
		return 0;
	case PERF_RECORD_KSYMBOL:
		return apply_thing(t, record, ts_record_load_u64(record + KSYMBOL_ADDR),
				   !(ts_record_load_u16(record + KSYMBOL_FLAGS) & KSYMBOL_GONE));
	case PERF_RECORD_BPF_EVENT:
		return apply_thing(t, record, field(record, BPF_ID),
				   ts_record_load_u16(record + BPF_TYPE) == BPF_LOADED);
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
		at += size_of(at);
	}
	return code;
}

/* --- telling --- */

static uint8_t *put_record(const struct live_table *t, struct ts_bytes *out, const uint8_t *record)
{
	size_t len = size_of(record);
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
	memset(at + FORK_TIME, 0, sizeof(uint64_t));
}

/* The record may be one of the process that this one was forked from. */
static void put_map(const struct live_table *t, struct ts_bytes *out, const uint8_t *record,
		    uint32_t pid)
{
	uint8_t *at = put_record(t, out, record);

	if (!at || field(at, PID_OFF) == pid)
		return;
	set_field(at, PID_OFF, pid);
	set_field(at, TID_OFF, pid);
}

static void put_task(const struct live_table *t, struct ts_bytes *out, const struct task *task)
{
	const struct space *space = task->tid == task->pid ? find_space(t, task->pid) : NULL;

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
		clear_task(&t->tasks[i]);
	for (size_t i = 0; i < t->nr_spaces; i++)
		clear_space(&t->spaces[i]);
	for (size_t i = 0; i < t->nr_things; i++)
		free(t->things[i].record);
	free(t->tasks);
	free(t->spaces);
	free(t->things);
	free(t);
}
