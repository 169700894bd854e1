// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "streamer/directory/live_table_parts.h"

/* Offsets of fields from the start of the record (include/uapi/linux/perf_event.h). */
#define FORK_PPID     12
#define FORK_TID      16
#define FORK_PTID     20
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
	uint32_t pid = live_field(record, PID_OFF);
	struct space *space;

	if (pid == (uint32_t)-1) /* the kernel, whose maps are reported once */
		return 0;
	space = live_table_task(t, pid, pid) ? live_table_space(t, pid) : NULL;
	return space ? add_map(space, record) : -ENOMEM;
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
	uint32_t pid = live_field(record, PID_OFF), tid = live_field(record, TID_OFF);
	const struct perf_event_header *hdr = (const void *)record;
	struct task *task = live_table_task(t, pid, tid);
	struct space *space = live_table_find_space(t, pid);

	if (!task)
		return -ENOMEM;
	live_table_set_process(t, task, pid);
	if (hdr->misc & PERF_RECORD_MISC_COMM_EXEC) {
		task->end_ns = 0;
		end_others(t, pid, time_ns);
		if (space)
			live_table_clear_space(space);
	}
	return replace_record(&task->comm, record);
}

static int apply_namespaces(struct live_table *t, const uint8_t *record)
{
	struct task *task =
		live_table_task(t, live_field(record, PID_OFF), live_field(record, TID_OFF));

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
	live_set_field(task->comm, PID_OFF, task->pid);
	live_set_field(task->comm, TID_OFF, tid);
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

static int apply_fork(struct live_table *t, const uint8_t *record)
{
	uint32_t pid = live_field(record, PID_OFF), ppid = live_field(record, FORK_PPID);
	uint32_t tid = live_field(record, FORK_TID);
	const struct perf_event_header *hdr = (const void *)record;
	struct task *task = live_table_task(t, pid, tid);
	int code;

	if (!task)
		return -ENOMEM;
	live_table_clear_task(task);
	live_table_set_process(t, task, pid);
	code = replace_record(&task->fork, record);
	if (code || hdr->misc & PERF_RECORD_MISC_FORK_EXEC)
		return code;
	code = inherit_name(t, tid, live_field(record, FORK_PTID));
	return code || pid == ppid ? code : inherit_maps(t, pid, ppid);
}

static void apply_exit(struct live_table *t, const uint8_t *record, uint64_t time_ns)
{
	struct task *task = live_table_find_task(t, live_field(record, FORK_TID));

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
		return apply_thing(t, record, live_field(record, BPF_ID),
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
		at += live_size(at);
	}
	return code;
}
