/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits of CPUs: the calling thread moves to one CPU after the other, and then back.
 *
 * A CPU switches on its own events. If another CPU asks for it, the kernel interrupts that CPU,
 * which may be idle. A hardware counter starts with a period of one cycle. On an idle CPU of a
 * virtual machine it can then raise interrupts without end, and the CPU stands still for a minute
 * (decision 27). A CPU that runs the visiting thread does not idle, and needs no interrupt.
 *
 * A visit is an improvement, never a condition. A thread that may not or cannot go to a CPU stays
 * where it is, and its calls work as before. So no function here fails.
 *
 * Threads: a visit belongs to the thread that began it, and changes only the affinity of this
 * thread.
 */
#ifndef TS_STREAMER_MACHINE_CPU_VISIT_H
#define TS_STREAMER_MACHINE_CPU_VISIT_H

#include <sched.h>
#include <stddef.h>

struct cpu_visit {
	cpu_set_t *home; /* owned; the affinity at the start; NULL: not readable, so no visits */
	size_t home_bytes;
	int at; /* CPU; -1: at home */
};

void cpu_visit_begin(struct cpu_visit *v);
void cpu_visit_go(struct cpu_visit *v, unsigned int cpu); /* does nothing if it is there already */
void cpu_visit_end(struct cpu_visit *v);		  /* goes home */

#endif
