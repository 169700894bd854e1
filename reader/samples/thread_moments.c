// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/thread_moments.h"

static bool is_thread_of_rest(const struct thread_moments *m, const struct moment_slot *slot)
{
	return m->selection &&
	       !selection_takes_thread(m->selection, slot->pid, slot->tid, slot->moment.comm);
}

void thread_moments_fill(struct thread_moments *m, struct moment_slot *slot,
			 const struct ts_sample_id *sid)
{
	slot->pid = sid->pid;
	slot->tid = sid->tid;
	tasks_moment(m->tasks, sid->pid, sid->tid, sid->time_ns, &slot->moment);
	if (!slot->moment.comm)
		slot->moment.comm = tasks_first_comm(m->tasks, sid->tid, sid->time_ns);
	slot->is_rest = is_thread_of_rest(m, slot);
}

void thread_moments_fill_kernel(struct thread_moments *m, uint64_t time_ns)
{
	tasks_moment(m->tasks, TASK_PID_KERNEL, TASK_PID_KERNEL, time_ns, &m->kernel);
}
