/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locations of a profile of pprof or OTLP: a function, or a function with those that were inlined into it.
 * Numbers are from 1, in the order in which they are first met.
 *
 *	path     main  sort  less (inlined)  swap (inlined)
 *	         -1--  -2--
 *	               ------3-------------                    `less` in `sort`
 *	               --------------4--------------------     `swap` in `less` in `sort`
 *	sample   4, 1
 *
 * Threads: one thread.
 */
#ifndef TS_READER_PACKED_PPROF_LOCATIONS_H
#define TS_READER_PACKED_PPROF_LOCATIONS_H

#include <stdint.h>

#include "reader/page/stack_paths.h"
#include "reader/tasks/hash_index.h"

struct pprof_location {
	uint32_t look;	   /* of the innermost function */
	uint32_t around;   /* number of the location that it was inlined into; 0: none */
	uint32_t nr_lines; /* functions */
};

struct pprof_locations {
	struct memory *memory;
	const struct frame_looks *looks;
	struct pprof_location *items; /* owned; number - 1 */
	uint32_t nr, cap;
	uint32_t most_lines;
	uint32_t *of_look; /* owned; by look: number without inlined functions; 0: none yet */
	struct hash_index within; /* of the others, by `around` and look */
};

/* *looks must outlive *l. 0 or -ENOMEM; release in both cases. */
int pprof_locations_init(struct pprof_locations *l, const struct frame_looks *looks,
			 struct memory *memory);
/*
 * The locations of a path without its command, if it has one, leaf first, at the end of ids[0 .. path->nr-1].
 * Returns how many they are; 0: out of memory.
 */
uint32_t pprof_locations_take(struct pprof_locations *l, const struct stack_paths *paths,
			      const struct stack_path *path, uint64_t *ids);
void pprof_locations_release(struct pprof_locations *l); /* accepts a zeroed one; idempotent */

#endif
