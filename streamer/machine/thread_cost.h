/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a writer costs: CPU time of its thread and of those that work for it.
 *
 * For it work the pwrite helper and the workers that the kernel starts for its io_uring. These are
 * threads of the process, whose names tell whose they are; what one that has ended already used
 * is only in the total of the process.
 *
 * Threads: any thread asks for itself.
 */
#ifndef TS_STREAMER_MACHINE_THREAD_COST_H
#define TS_STREAMER_MACHINE_THREAD_COST_H

#include <stdint.h>

struct thread_cost {
	uint64_t user_ns, system_ns; /* of the calling thread */
	uint64_t helpers_ns;	     /* of the others, as far as /proc tells */
};

/* `number`: of the writer that calls. Allocates nothing. */
void thread_cost_read(uint32_t number, struct thread_cost *ret);

#endif
