/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name and maps of a thread at the time of a sample, remembered as long as they are valid. They
 * change rarely, so most samples need no search. A thread without a name gets its first later name,
 * as in perf report.
 *
 * Threads: each thread has its own `struct thread_moments`.
 */
#ifndef TS_READER_SAMPLES_THREAD_MOMENTS_H
#define TS_READER_SAMPLES_THREAD_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/record.h"
#include "reader/chunks/selection.h"
#include "reader/tasks/tasks.h"

#define MOMENTS 256 /* threads that are remembered; power of two */

struct moment_slot {
	uint32_t pid, tid;
	struct task_moment moment; /* until_ns 0: free */
	bool is_rest;		   /* the selection leaves this thread out */
};

struct thread_moments { /* zeroed, except tasks and selection, which outlive it */
	const struct tasks *tasks;
	const struct selection *selection; /* NULL: everything */
	struct task_moment kernel;
	struct moment_slot slots[MOMENTS];
};

/* Slow paths of the functions below, for moments that are not remembered. */
void thread_moments_fill(struct thread_moments *m, struct moment_slot *slot,
			 const struct ts_sample_id *sid);
void thread_moments_fill_kernel(struct thread_moments *m, uint64_t time_ns);

static inline bool thread_moment_holds(const struct task_moment *m, uint64_t time_ns)
{
	return time_ns >= m->from_ns && time_ns < m->until_ns;
}

/* The moment of the sample's thread at its time; valid until the next call. */
static inline const struct moment_slot *thread_moments_find(struct thread_moments *m,
							    const struct ts_sample_id *sid)
{
	struct moment_slot *slot = &m->slots[sid->tid & (MOMENTS - 1)];

	if (slot->pid != sid->pid || slot->tid != sid->tid ||
	    !thread_moment_holds(&slot->moment, sid->time_ns))
		thread_moments_fill(m, slot, sid);
	return slot;
}

/* The set of kernel maps that is valid at that time, as task_moment.space. */
static inline uint64_t thread_moments_kernel_space(struct thread_moments *m, uint64_t time_ns)
{
	if (!thread_moment_holds(&m->kernel, time_ns))
		thread_moments_fill_kernel(m, time_ns);
	return m->kernel.space;
}

#endif
