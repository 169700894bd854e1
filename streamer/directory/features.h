/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The feature sections of `data`: on which machine, by which command, with which clock this was
 * recorded.
 *
 * features_collect() gathers what does not change while recording, so the first `data` has it all;
 * the setters put in what is known only later (time of the first and last sample, the ratio of
 * compression). A setter called again replaces its section. What a machine does not tell is left
 * out, never guessed: the feature is then absent.
 *
 * EVENT_DESC is made from the events by ts_header_pack(), TRACING_DATA by streamer/directory/tracing_data.h.
 *
 * Threads: one owner of the set at a time.
 *
 * Source: tools/perf/util/header.c, tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef TS_STREAMER_DIRECTORY_FEATURES_H
#define TS_STREAMER_DIRECTORY_FEATURES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/base/error.h"
#include "common/perf/header.h"

struct features_facts {
	const char *version;	  /* of this program */
	const char *const *words; /* of the command line, from the command's name ("record") on */
	size_t nr_words;
};

/*
 * Fills HOSTNAME OSRELEASE VERSION ARCH NRCPUS CPUDESC CPUID TOTAL_MEM CMDLINE CPU_TOPOLOGY
 * NUMA_TOPOLOGY PMU_MAPPINGS CACHE MEM_TOPOLOGY SAMPLE_TIME (0, 0) DIR_FORMAT. Only
 * running out of memory is an error.
 */
int features_collect(struct ts_feature_set *set, const struct features_facts *facts,
		     struct ts_error *err);

/* Times of the first and the last sample; 0, 0: none. */
void features_set_sample_time(struct ts_feature_set *set, uint64_t first_ns, uint64_t last_ns);
/* The clock of the events (-k): its resolution, and the wall clock that belongs to one reading. */
int features_set_clock(struct ts_feature_set *set, clockid_t clock, struct ts_error *err);
/* Compression at a level; the ratio so far (0 bytes: none yet). */
void features_set_compressed(struct ts_feature_set *set, int level, uint64_t raw_bytes,
			     uint64_t disk_bytes);
/*
 * BUILD_ID of the running kernel, its modules and the vdso, from /sys/kernel/notes,
 * /sys/module/NAME/notes and this process's own memory. Called again at the stop, as modules come.
 */
int features_set_build_ids(struct ts_feature_set *set, bool sees_kernel, struct ts_error *err);

#endif
