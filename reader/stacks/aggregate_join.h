/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of one capture added to those of another.
 *
 * Each capture has its own symbols and maps, so the same function is another symbol in each. Here
 * functions are the same where object and function are called the same and were seen in the same
 * mode; what has no function is the same where the object is and the address.
 *
 * Threads: none of its own; one thread.
 */
#ifndef TS_READER_STACKS_AGGREGATE_JOIN_H
#define TS_READER_STACKS_AGGREGATE_JOIN_H

#include "reader/stacks/aggregate.h"

/*
 * Adds the stacks and sums of *from, made by the same plan with as many parts, to *a, and leaves it
 * without them. events[n] is the number that the n-th of from's nr_events has in *a, whose sums have
 * room for all. The symbols of both must outlive *a. 0 or -ENOMEM.
 */
int aggregate_join(struct aggregate *a, struct aggregate *from, const uint32_t *events,
		   size_t nr_events);

#endif
