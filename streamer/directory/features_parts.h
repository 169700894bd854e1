/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of features_collect(), one for each subject. Each adds the sections for which the
 * machine has data and leaves out the others. Running out of memory shows in the payloads.
 *
 * Threads: one owner of the set at a time.
 */
#ifndef TS_STREAMER_DIRECTORY_FEATURES_PARTS_H
#define TS_STREAMER_DIRECTORY_FEATURES_PARTS_H

#include "common/base/bytes.h"
#include "common/perf/header.h"

#define FEATURES_SYSTEM "/sys/devices/system"

/* NRCPUS CPUDESC CPUID CPU_TOPOLOGY CACHE */
void features_add_cpus(struct ts_feature_set *set);
/* TOTAL_MEM NUMA_TOPOLOGY MEM_TOPOLOGY */
void features_add_memory(struct ts_feature_set *set);

/* Makes a feature present, with an empty payload. */
static inline struct ts_bytes *features_begin(struct ts_feature_set *set, enum ts_feature bit)
{
	struct ts_bytes *payload = ts_header_feature(set, bit);

	ts_bytes_clear(payload);
	return payload;
}

#endif
