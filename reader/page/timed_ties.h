/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of samples of one thread and one time: by path, period, CPU and event.
 *
 * Threads: any, each for samples of its own.
 */
#ifndef TS_READER_PAGE_TIMED_TIES_H
#define TS_READER_PAGE_TIMED_TIES_H

#include "reader/page/timed_samples.h"

/* Sorts in place, so samples in a file stay there. Linear in their number. */
void timed_ties_sort(struct timed_sample *items, uint64_t nr);

#endif
