/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a recording for people: what --dry-run prints, and what -vv adds.
 *
 * Threads: main thread.
 */
#ifndef TS_STREAMER_PLAN_PRINT_RECORD_PLAN_H
#define TS_STREAMER_PLAN_PRINT_RECORD_PLAN_H

#include <stdio.h>

#include "streamer/plan/record_plan.h"

/* Prints the text of --dry-run: the writers, their rings, descriptors and memory. */
void print_record_plan(const struct record_plan *plan, FILE *out);

/*
 * -vv: prints the attr of each event as the kernel will get it, the attr of the side-band dummy
 * last.
 */
void print_record_attrs(const struct record_plan *plan, FILE *out);

#endif
