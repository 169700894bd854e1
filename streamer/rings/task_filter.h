/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps foreign tasks out of side-band that was recorded of whole CPUs.
 *
 * Many targets would need a side-band dummy for each of their threads on each CPU. Instead one
 * dummy a CPU reports all tasks of the machine. The copy of a ring then loses the records of
 * processes that are known to be foreign:
 *
 *	existed when side-band was switched on, and is no target	foreign
 *	its FORK has a foreign parent				foreign
 *	its FORK has a target as parent				target; foreign if nothing inherits
 *	its FORK, or that of its parent, was lost		unknown: its records stay
 *
 * The kernel writes the FORK of a process into a ring before the process runs, but perhaps into the
 * ring of another CPU than its next records. So before a writer copies records of its ring and gives
 * their room back, it looks for FORKs in all rings: task_filter_look(). It looks again until nobody has
 * learned anything meanwhile. A FORK is then either still in its ring, or learned after those of all
 * ancestors. It is learned before any record of its process is judged, also where the number was
 * another process's before.
 *
 * Threads: main makes it before the writers run. Then the writer of any side-band ring may call
 * the functions of looking and running, and main task_filter_add() and task_filter_next_target().
 * States are single bytes that are read and written atomically. The release of data_tail in
 * ring_copy() publishes what was learned before it, to those who acquire data_tail in
 * task_filter_look().
 */
#ifndef TS_STREAMER_RINGS_TASK_FILTER_H
#define TS_STREAMER_RINGS_TASK_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

struct ring;

struct task_filter {
	uint8_t *states; /* owned; one for each process number */
	size_t nr;
	bool inherits;	     /* what a target starts is a target */
	uint64_t nr_learned; /* shared: ordering note 15; FORKs that changed a state */
	/* shared: ordering note 15; borrowed rings, the newest first; NULL: none */
	const struct ring *first;
};

/* No process is known. */
int task_filter_init(struct task_filter *f, bool inherits, struct ts_error *err);
void task_filter_release(struct task_filter *f); /* accepts a zeroed one; idempotent */

/*
 * Makes these threads targets, and every other process that exists now foreign. Only once FORKs are
 * reported: a process between would stay unknown, with all that it starts. A process is a target if
 * its first thread is one.
 */
int task_filter_set_targets(struct task_filter *f, const pid_t *tids, size_t nr,
			    struct ts_error *err);

/*
 * Filters this ring of side-band, which is open and has no writer yet. It stays open as long as any
 * writer runs.
 */
void task_filter_add(struct task_filter *f, struct ring *ring);

/*
 * Learns from the FORKs that wait in all rings, for the writer of one. Returns the bytes from its
 * data_tail on that the writer may copy and judge now: a FORK behind them may not be learned yet.
 */
uint64_t task_filter_look(struct task_filter *f, const struct ring *ring);

/*
 * Takes the records of foreign processes out of a run of records. Returns the length of the rest.
 * From an impossible record on, all bytes stay.
 */
size_t task_filter_run(const struct task_filter *f, uint8_t *run, size_t len);

/*
 * The lowest number above `after` that is a target's; 0: there is none. It may have ended, or be a
 * thread that is no process.
 */
pid_t task_filter_next_target(const struct task_filter *f, pid_t after);

#endif
