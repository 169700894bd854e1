/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visiting CPUs: the calling thread goes to one after the other and then home.
 *
 * An event of a CPU is switched on there. Asked from elsewhere, the kernel interrupts that CPU; if
 * it idles, a counter of hardware whose period is still that of its start (one cycle) can raise
 * interrupts without end in a virtual machine, and the CPU stands still for a minute (decision 27).
 * A CPU that runs us does not idle, and needs no interrupt.
 *
 * A visit is an improvement, never a condition: where a thread may not or cannot go it stays, and
 * what it does there works as before. So nothing here fails.
 *
 * Threads: a visit belongs to the thread that began it, and changes only its affinity.
 */
#ifndef TS_STREAMER_MACHINE_CPU_VISIT_H
#define TS_STREAMER_MACHINE_CPU_VISIT_H

#include <sched.h>
#include <stddef.h>

struct cpu_visit {
	cpu_set_t
		*home; /* owned; the affinity at the begin; NULL: it could not be read, no visits */
	size_t home_bytes;
	int at; /* CPU; -1: at home */
};

void cpu_visit_begin(struct cpu_visit *v);
void cpu_visit_go(struct cpu_visit *v, unsigned int cpu); /* stays where it is already there */
void cpu_visit_end(struct cpu_visit *v);		  /* goes home */

#endif
