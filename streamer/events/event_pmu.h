/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance monitoring units (PMUs) as sysfs describes them: type, formats of the config words,
 * named events, CPUs.
 *
 *	/sys/bus/event_source/devices/PMU/type			10
 *					  format/umask		config:8-15
 *					  events/mem-loads	event=0xcd,umask=0x1,ldlat=3
 *					  cpumask (or cpus)	0,32
 *
 * Threads: any; the functions only read sysfs. `root` is that devices folder; NULL: the machine's.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_PMU_H
#define TS_STREAMER_EVENTS_EVENT_PMU_H

#include <hwloc.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define PMU_TEXT 512 /* longest alias or format that is read */

typedef int (*pmu_visit)(void *ctx, const char *name, struct ts_error *err);

/*
 * Visits the PMUs of a name, as perf does: the PMU with exactly this name; else those that fit it
 * as a pattern (* ? [...]); else NAME_0, NAME_1 and so on, also with "uncore_" before. Returns
 * their number, or the result of visit if that is not 0.
 */
int event_pmu_for_each(const char *root, const char *name, pmu_visit visit, void *ctx,
		       struct ts_error *err);

/* Reads attr.type of a PMU. -errno: there is no such PMU. */
int event_pmu_type(const char *root, const char *pmu, uint32_t *ret_type);

/* Reads the terms that a named event stands for. False: the PMU has no such event. */
bool event_pmu_alias(const char *root, const char *pmu, const char *event, char buf[PMU_TEXT]);

/* Calls visit with the name of each named event of the PMU. */
int event_pmu_events(const char *root, const char *pmu, pmu_visit visit, void *ctx,
		     struct ts_error *err);

/*
 * Puts a value into the bits that the PMU's format of that name describes. -ENOENT: no such format.
 * -ERANGE: the value has more bits. -EINVAL: the format cannot be used (config3, or malformed).
 */
int event_pmu_put_value(const char *root, const char *pmu, const char *format, uint64_t value,
			struct perf_event_attr *attr);

/* Reads the CPUs on which the PMU's events can be opened. False: on any CPU. */
bool event_pmu_cpus(const char *root, const char *pmu, hwloc_bitmap_t ret);

#endif
