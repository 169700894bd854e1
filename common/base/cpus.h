/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of CPUs: hwloc bitmaps, the kernel's list form ("0-3,8"), and the CPUs of this machine.
 *
 * A set is an hwloc_bitmap_t of the kernel's CPU numbers; the caller allocates and frees it with
 * hwloc's functions. The list form is the kernel's: numbers and ranges with commas between. A comma
 * or newline at the end is allowed, nothing else.
 *
 * Threads: pure functions; those named ts_cpus_<machine>() read sysfs.
 */
#ifndef TS_COMMON_BASE_CPUS_H
#define TS_COMMON_BASE_CPUS_H

#include <hwloc.h>
#include <stdint.h>

#include "common/base/error.h"

#define TS_CPUS_MAX 65536 /* CPU numbers are smaller; a larger one counts as a typing error */

/*
 * Replaces the set by the CPUs of the list; "" is the empty set. On failure the set is unchanged:
 * -EINVAL (the sentence quotes the list and the wrong place) or -ENOMEM.
 */
int ts_cpus_parse(const char *list, hwloc_bitmap_t set, struct ts_error *err);

/* The list form, "" for the empty set; malloc'd, the caller frees. NULL: out of memory. */
char *ts_cpus_text(hwloc_const_bitmap_t set);

/*
 * Each replaces the set by the CPUs that the kernel reports. -errno with a sentence if that fails.
 */
int ts_cpus_online(hwloc_bitmap_t set, struct ts_error *err);
int ts_cpus_present(hwloc_bitmap_t set, struct ts_error *err);	/* plugged in, online or not */
int ts_cpus_isolated(hwloc_bitmap_t set, struct ts_error *err); /* isolcpus=, and nohz_full= */
int ts_cpus_allowed(hwloc_bitmap_t set, struct ts_error *err);	/* of the calling thread's cpuset */
/* The memory node of a CPU, which may be offline; -1: unknown. */
int ts_cpus_node(unsigned int cpu);
/*
 * The number of CPUs that the calling thread may run on, at least 1. More worker threads than that
 * are of no use.
 */
unsigned int ts_cpus_count_allowed(void);

#endif
