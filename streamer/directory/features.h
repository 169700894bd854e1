/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The feature sections of `data`: the machine, the command and the clock of the recording.
 *
 * features_collect() gathers all facts that do not change while recording, so the first `data` has
 * them. The setters add the facts that are known later (time of the first and last sample, the
 * ratio of compression). A setter called again replaces its section. If the machine does not report
 * a fact, the feature is absent; nothing is guessed.
 *
 * ts_header_pack() makes EVENT_DESC from the events, streamer/directory/tracing_data.h makes
 * TRACING_DATA.
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

#include "common/base/build_id.h"
#include "common/base/bytes.h"
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
/*
 * The clock of the events (-k): its resolution, and one reading of it together with the wall clock.
 */
int features_set_clock(struct ts_feature_set *set, clockid_t clock, struct ts_error *err);
/* Compression at a level, and its ratio so far (0 bytes: none yet). */
void features_set_compressed(struct ts_feature_set *set, int level, uint64_t raw_bytes,
			     uint64_t disk_bytes);
/*
 * BUILD_ID of the running kernel, its modules and the vdso, from /sys/kernel/notes,
 * /sys/module/NAME/notes and this process's own memory. If not `sees_kernel`, of the vdso alone.
 * Called again at the stop, because modules may have come. `files`: further entries, NULL: none.
 */
int features_set_build_ids(struct ts_feature_set *set, bool sees_kernel,
			   const struct ts_bytes *files, struct ts_error *err);
/* Appends an entry for a file of user space to such `files`, or to the section itself. */
void features_put_build_id(struct ts_bytes *files, const struct ts_build_id *id, const char *path);

#endif
