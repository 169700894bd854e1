/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds the stacks of one capture to those of another.
 *
 * Each capture has its own symbols and maps, so the same function is a different symbol in each.
 * Here two functions are the same if their objects have the same name, the functions have the same
 * name, and both ran in the same mode. Frames without a function are the same if object and address
 * are the same.
 *
 * Threads: starts none; for one thread.
 */
#ifndef TS_READER_STACKS_AGGREGATE_JOIN_H
#define TS_READER_STACKS_AGGREGATE_JOIN_H

#include "reader/stacks/aggregate.h"

/*
 * Moves the stacks, sums and logs of *from into *a. Both were made by the same plan and have the same
 * number of parts. Event n of *from, which has nr_events events, has the number events[n] in *a.
 * The sums of *a have room for all events. The symbols of both must outlive *a. Returns 0 or
 * -ENOMEM.
 */
int aggregate_join(struct aggregate *a, struct aggregate *from, const uint32_t *events,
		   size_t nr_events);

#endif
