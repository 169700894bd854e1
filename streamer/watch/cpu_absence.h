/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times in which CPUs were not recorded: they were offline, or they came online after the rings
 * had been made.
 *
 * Threads: one owner, the main thread.
 */
#ifndef TS_STREAMER_WATCH_CPU_ABSENCE_H
#define TS_STREAMER_WATCH_CPU_ABSENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_absence {
	unsigned int cpu;
	bool is_late;	  /* it runs, but came online after the start */
	bool is_given_up; /* it is back, but cannot be recorded again */
	uint64_t from_ns; /* CLOCK_MONOTONIC */
	uint64_t to_ns;	  /* 0: the absence lasts */
};

struct absences {
	struct cpu_absence *items; /* owned; in the order of their beginning */
	size_t nr;
};

/* Returns the lasting absence of this CPU; NULL: the CPU is recorded. */
struct cpu_absence *cpu_absence_of(const struct absences *list, unsigned int cpu);
/* Begins an absence, unless one lasts. NULL: out of memory. */
struct cpu_absence *cpu_absence_begin(struct absences *list, unsigned int cpu, uint64_t now_ns);
void cpu_absence_end(struct cpu_absence *a, uint64_t now_ns);
void absences_release(struct absences *list); /* accepts a zeroed one; idempotent */

#endif
