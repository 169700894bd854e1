/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A naive table of tasks and maps: the state of now, changed in place.
 *
 * reader/tasks/tasks keeps versions and answers by search. This table copies and cuts lists
 * instead: a fork copies the parent's maps, a map cuts pieces out of those that it overlaps. So it
 * answers only for the present, and a test asks it while it makes the records.
 *
 * Threads: none of its own; one owner.
 */
#ifndef TS_TESTS_SUPPORT_TASK_MODEL_H
#define TS_TESTS_SUPPORT_TASK_MODEL_H

#include <stdint.h>

#define MODEL_TIDS 1024 /* tids and pids are below */

struct model_map {
	uint64_t start, end;
	uint32_t path; /* number that the test gave */
};

struct model_space {
	struct model_map *maps;
	uint32_t nr;
};

struct task_model {
	uint32_t name[MODEL_TIDS];	      /* 0: unknown */
	struct model_space space[MODEL_TIDS]; /* by pid */
};

void model_release(struct task_model *m);
void model_comm(struct task_model *m, uint32_t tid, uint32_t name);
/* A new process (pid == tid) or thread. copies: as the kernel's FORK does. */
void model_fork(struct task_model *m, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
		int copies);
void model_map(struct task_model *m, uint32_t pid, uint64_t start, uint64_t end, uint32_t path);
/* The number of the path at addr; 0: nothing is mapped there. */
uint32_t model_path(const struct task_model *m, uint32_t pid, uint64_t addr);

#endif
