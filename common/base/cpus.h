/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of CPUs: hwloc bitmaps, the kernel's list form ("0-3,8"), and which CPUs this machine has.
 *
 * A set is an hwloc_bitmap_t of the kernel's CPU numbers; the caller allocates and frees it with
 * hwloc's functions. The list form is the kernel's: numbers and ranges with commas, a trailing
 * comma or newline allowed, nothing else.
 *
 * Threads: pure functions, save that the ts_cpus_<machine>() ones read sysfs.
 */
#ifndef TS_COMMON_BASE_CPUS_H
#define TS_COMMON_BASE_CPUS_H

#include <hwloc.h>
#include <stdint.h>

#include "common/base/error.h"

#define TS_CPUS_MAX 65536 /* CPU numbers are below; more is taken for a typing error */

/*
 * Replaces the set by what the list names; "" is the empty set. The set is unchanged on failure:
 * -EINVAL (with a sentence that quotes list and offending place), -ENOMEM.
 */
int ts_cpus_parse(const char *list, hwloc_bitmap_t set, struct ts_error *err);

/* The list form, "" for the empty set; malloc'd, the caller frees. NULL: out of memory. */
char *ts_cpus_text(hwloc_const_bitmap_t set);

/* Replaces the set by what sysfs says. -errno with a sentence where it cannot be read. */
int ts_cpus_online(hwloc_bitmap_t set, struct ts_error *err);
int ts_cpus_present(hwloc_bitmap_t set, struct ts_error *err);	/* plugged in, online or not */
int ts_cpus_isolated(hwloc_bitmap_t set, struct ts_error *err); /* isolcpus=, and nohz_full= */
int ts_cpus_allowed(hwloc_bitmap_t set, struct ts_error *err);	/* of the calling thread's cpuset */
/* The memory node that a CPU belongs to, also while it is offline; -1: unknown. */
int ts_cpus_node(unsigned int cpu);
/* How many the calling thread may run on, at least 1: how many threads of work are of any use. */
unsigned int ts_cpus_count_allowed(void);

#endif
