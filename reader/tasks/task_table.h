/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of struct ts_tasks: threads with their names, processes with their address spaces,
 * and the steps by which records change them. Only tasks.c, task_lookup.c and task_pieces.c include
 * this header.
 *
 *	tid -> thread  -> comm versions (time, name)
 *	pid -> process -> lives of the pid (time, space) -> maps (time, range)
 *	                                            '-> parent space, and how many maps it had
 *	                                                at the fork
 *
 * Threads: as reader/tasks/tasks.h: one applies, any number look up after ts_tasks_freeze().
 */
#ifndef TS_READER_TASKS_TASK_TABLE_H
#define TS_READER_TASKS_TASK_TABLE_H

#include "reader/tasks/address_space.h"
#include "reader/tasks/hash_index.h"
#include "reader/tasks/tasks.h"

#define TS_NO_NAME  UINT32_MAX
#define TS_NO_SPACE UINT32_MAX

/* The kernel has two spaces from the beginning; the second is asked after the first. */
#define TS_KERNEL_SPACE	 0 /* the kernel and its modules */
#define TS_KSYMBOL_SPACE 1 /* KSYMBOLs; an ended one is a hole */

struct ts_comm_version {
	uint64_t time_ns;
	uint32_t name; /* index of names; TS_NO_NAME: unknown from here on */
	bool is_birth; /* another thread gets this tid here */
};

struct ts_thread {
	uint32_t tid, pid;
	struct ts_comm_version *comms; /* by time */
	uint32_t nr, cap;
};

struct ts_life { /* a life of a pid: each fork that reuses the pid adds one */
	uint64_t begin_ns;
	uint32_t space;
};

struct ts_process {
	uint32_t pid;
	struct ts_life *lives; /* by time */
	uint32_t nr, cap;
};

struct ts_fork_space {
	struct ts_space maps;
	uint32_t parent;       /* an older space; TS_NO_SPACE: none */
	uint32_t parent_limit; /* how many maps it had at the fork */
	uint32_t pid;
};

struct ts_tasks {
	uint64_t now_ns; /* time of the last applied record; never goes back */
	struct ts_thread *threads;
	struct ts_process *processes;
	struct ts_fork_space *spaces;
	char **names;
	struct ts_dso *dsos; /* path owned */
	uint32_t nr_threads, nr_processes, nr_spaces, nr_names, nr_dsos;
	uint32_t cap_threads, cap_processes, cap_spaces, cap_names, cap_dsos;
	struct ts_hash_index thread_of_tid, process_of_pid, name_of_text, dso_of_path;
};

/*
 * All functions return 0 or -ENOMEM, or a pointer or NULL (out of memory). Pointers to threads are
 * valid until the next thread is made.
 */

/* The index of a name or of a mapped object. A new one is entered. */
int ts_table_name(struct ts_tasks *t, const char *text, uint32_t *ret);
int ts_table_dso(struct ts_tasks *t, const struct ts_dso *wanted, uint32_t *ret);
/* The thread. A new one is made with that pid and no name. */
struct ts_thread *ts_table_thread(struct ts_tasks *t, uint32_t pid, uint32_t tid);
/* The current name of the thread; TS_NO_NAME: unknown. */
uint32_t ts_thread_name(const struct ts_thread *thread);
/* Gives the thread this name from now on. */
int ts_thread_rename(struct ts_tasks *t, struct ts_thread *thread, uint32_t name);
/* From now on the tid belongs to another thread, with this name. */
int ts_thread_begin(struct ts_tasks *t, struct ts_thread *thread, uint32_t name);
/* Adds a space with the maps that `parent` (or TS_NO_SPACE) has now; its index is nr_spaces - 1. */
int ts_table_add_space(struct ts_tasks *t, uint32_t parent);
/* The current space of a process; TS_NO_SPACE: none. */
uint32_t ts_table_space(const struct ts_tasks *t, uint32_t pid);
/* Begins a new life of the pid now, with the maps that `parent` (or TS_NO_SPACE) has. */
int ts_table_begin_life(struct ts_tasks *t, uint32_t pid, uint32_t parent);

/*
 * The map that holds addr among the first `limit` maps of *space and the maps that the space began
 * with; NULL: none. *space becomes the space to which the map was added.
 */
const struct ts_map *ts_table_find_map(const struct ts_tasks *t, uint32_t *space, uint32_t limit,
				       uint64_t addr);
/* NULL: unknown. */
struct ts_thread *ts_table_find_thread(const struct ts_tasks *t, uint32_t tid);
struct ts_process *ts_table_find_process(const struct ts_tasks *t, uint32_t pid);

#endif
