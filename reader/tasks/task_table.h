/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of struct tasks: threads with their names, processes with their address spaces,
 * and the steps by which records change them. Only tasks.c, task_lookup.c, task_pieces.c and
 * fork_index.c include this header.
 *
 *	tid -> thread  -> comm versions (time, name)
 *	pid -> process -> lives of the pid (time, space) -> maps (time, range)
 *	                                            '-> parent space, and how many maps it had
 *	                                                at the fork
 *
 * Threads: as reader/tasks/tasks.h: one applies, any number look up after tasks_freeze().
 */
#ifndef TS_READER_TASKS_TASK_TABLE_H
#define TS_READER_TASKS_TASK_TABLE_H

#include "reader/tasks/address_space.h"
#include "reader/tasks/fork_index.h"
#include "reader/tasks/hash_index.h"
#include "reader/tasks/tasks.h"

#define TASK_NO_NAME   UINT32_MAX
#define TASK_NO_SPACE  UINT32_MAX
#define TASK_EXECS_MAX ((1u << 29) - 1)
#define FORK_DEPTH_MAX 16 /* so many parents are asked one after the other */

/* The kernel has two spaces from the beginning; the second is asked after the first. */
#define TASK_KERNEL_SPACE  0 /* the kernel and its modules */
#define TASK_KSYMBOL_SPACE 1 /* KSYMBOLs; an ended one is a hole */

struct task_comm {
	uint64_t time_ns;
	uint32_t name;	 /* index of names; TASK_NO_NAME: unknown from here on */
	uint32_t births; /* how often another thread got this tid, up to here */
};

struct task_thread {
	uint32_t tid, pid;
	struct task_comm *comms; /* by time */
	uint32_t nr, cap;
};

struct task_life { /* a life of a pid: each fork that reuses the pid adds one */
	uint64_t begin_ns;
	uint32_t space;
};

struct task_process {
	uint32_t pid;
	struct task_life *lives; /* by time */
	uint32_t nr, cap;
};

#define TASK_FORKS_MAX 16 /* from a process to one whose code it may still have */

struct task_space {
	struct address_space maps;
	uint32_t parent;       /* an older space, with maps; TASK_NO_SPACE: none */
	uint32_t parent_limit; /* how many maps it had at the fork */
	uint32_t depth;	       /* so many spaces are above it; more than FORK_DEPTH_MAX: deep */
	uint32_t position;     /* of a deep one: in the fork index; see there */
	uint32_t forked_from;  /* the space of the process that forked, with or without maps */
	uint32_t pid;
	uint32_t nr_execs;	       /* as in task_map */
	uint32_t fork_execs;	       /* the same at the fork */
	uint64_t made_start, made_end; /* around all code that was told of; both 0: none was */
};

struct tasks {
	struct memory *memory; /* its blocks hold what tasks_freeze() makes; NULL: no limit */
	uint64_t now_ns;       /* time of the last applied record; never goes back */
	struct task_thread *threads;
	struct task_process *processes;
	struct task_space *spaces;
	char **names;
	struct task_dso *dsos; /* path owned */
	uint32_t nr_threads, nr_processes, nr_spaces, nr_names, nr_dsos;
	uint32_t cap_threads, cap_processes, cap_spaces, cap_names, cap_dsos;
	struct hash_index thread_of_tid, process_of_pid, name_of_text, dso_of_path;
	bool has_deep; /* spaces; then tasks_freeze() makes the index */
	struct fork_index forks;
};

/*
 * All functions return 0 or -ENOMEM, or a pointer or NULL (out of memory). Pointers to threads are
 * valid until the next thread is made.
 */

/* The index of a name or of a mapped object. A new one is entered. */
int task_table_name(struct tasks *t, const char *text, uint32_t *ret);
int task_table_dso(struct tasks *t, const struct task_dso *wanted, uint32_t *ret);
/* The thread. A new one is made with that pid and no name. */
struct task_thread *task_table_thread(struct tasks *t, uint32_t pid, uint32_t tid);
/* The current name of the thread; TASK_NO_NAME: unknown. */
uint32_t task_thread_name(const struct task_thread *thread);
/* Gives the thread this name from now on. */
int task_thread_rename(struct tasks *t, struct task_thread *thread, uint32_t name);
/* From now on the tid belongs to another thread, with this name. */
int task_thread_begin(struct tasks *t, struct task_thread *thread, uint32_t name);
/* Adds a space with the maps that `parent` (or TASK_NO_SPACE) has now; its index is nr_spaces - 1. */
int task_table_add_space(struct tasks *t, uint32_t parent);
/* The current space of a process; TASK_NO_SPACE: none. */
uint32_t task_table_space(const struct tasks *t, uint32_t pid);
/* Begins a new life of the pid now, with the maps that `parent` (or TASK_NO_SPACE) has. */
int task_table_begin_life(struct tasks *t, uint32_t pid, uint32_t parent);

/*
 * The map that holds addr among the first `limit` maps of *space and the maps that the space began
 * with; NULL: none. *space becomes the space to which the map was added. *range (or NULL) is
 * narrowed to addresses around addr that have the same map.
 */
const struct task_map *task_table_find_map(const struct tasks *t, uint32_t *space, uint32_t limit,
					   uint64_t addr, struct task_range *range);
/* NULL: unknown. */
struct task_thread *task_table_find_thread(const struct tasks *t, uint32_t tid);
struct task_process *task_table_find_process(const struct tasks *t, uint32_t pid);

#endif
