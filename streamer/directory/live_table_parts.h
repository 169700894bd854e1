/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of live_table.h from inside: its tasks, the maps of processes, and the programs of the
 * machine, each as the record that the kernel wrote. live_table.c finds and forgets them,
 * live_table_apply.c changes them by a further record. Only these two include this.
 *
 *	tid -> task -> FORK, COMM, NAMESPACES
 *	pid -> space -> maps, shared with the processes forked from it up to the first change
 *
 * Threads: as live_table.h.
 */
#ifndef TS_STREAMER_DIRECTORY_LIVE_TABLE_PARTS_H
#define TS_STREAMER_DIRECTORY_LIVE_TABLE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/perf/record.h"
#include "common/perf/record_layout.h"
#include "streamer/directory/live_table.h"

#define LIVE_BUCKETS 4096u /* a power of two */
#define LIVE_NONE    UINT32_MAX

struct task {
	uint32_t tid, pid;
	uint32_t next, next_thread; /* in its buckets, by tid and by pid; LIVE_NONE: the last */
	uint64_t end_ns;	    /* time of its EXIT; 0: it lives */
	bool is_needed;		    /* it has ended, but threads of its process live */
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
	uint32_t task_heads[LIVE_BUCKETS], thread_heads[LIVE_BUCKETS], space_heads[LIVE_BUCKETS];
};

static inline size_t live_size(const uint8_t *record)
{
	return ts_record_load_u16(record + offsetof(struct perf_event_header, size));
}

/* The record is a COMM or a map. */
static inline void live_set_thread(uint8_t *record, uint32_t pid, uint32_t tid)
{
	struct ts_record_thread *thread = (void *)record;

	thread->pid = pid;
	thread->tid = tid;
}

/* NULL: there is none. */
struct task *live_table_find_task(const struct live_table *t, uint32_t tid);
struct space *live_table_find_space(const struct live_table *t, uint32_t pid);
/*
 * The same, made if it is new; NULL: out of memory. Pointers to tasks and to spaces are valid until
 * the next one of their kind is made.
 */
struct task *live_table_task(struct live_table *t, uint32_t pid, uint32_t tid);
struct space *live_table_space(struct live_table *t, uint32_t pid);

/* A thread of another process has this tid now. */
void live_table_set_process(struct live_table *t, struct task *task, uint32_t pid);

/*
 * Frees the records of a task, or the maps of a space that no other one uses; both stay in the
 * table.
 */
void live_table_clear_task(struct task *task);
void live_table_clear_space(struct space *space);

/* Room for one more item of an array. 0 or -ENOMEM. */
int live_table_make_room(void **items, size_t nr, size_t *cap, size_t item_bytes);

#endif
