/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a writer: CPU time of its thread and of the threads that work for it.
 *
 * These are the pwrite helper and the workers that the kernel starts for its io_uring. They are
 * threads of the process, and their names tell their writer. The time of a helper that has ended
 * already is only in the total of the process.
 *
 * Threads: any thread asks for itself.
 */
#ifndef TS_STREAMER_MACHINE_THREAD_COST_H
#define TS_STREAMER_MACHINE_THREAD_COST_H

#include <stdint.h>

struct thread_cost {
	uint64_t user_ns, system_ns; /* of the calling thread */
	uint64_t helpers_ns;	     /* of the helpers, as far as /proc has them */
};

/* `number`: that of the calling writer. Allocates nothing. */
void thread_cost_read(uint32_t number, struct thread_cost *ret);

#endif
