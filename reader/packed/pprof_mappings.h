/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of a pprof profile: an object each, with the samples that have it in their stacks.
 * Numbers are those of look_objects.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_PACKED_PPROF_MAPPINGS_H
#define TS_READER_PACKED_PPROF_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/build_id.h"
#include "reader/page/look_objects.h"
#include "reader/page/stack_paths.h"

struct pprof_mapping {
	struct ts_build_id build_id; /* len 0: unknown, or the captures have several */
	bool has_several;	     /* build-ids */
	uint64_t nr_samples;
	uint64_t last_path; /* + 1: the last one that was counted */
};

struct pprof_mappings {
	struct look_objects objects; /* by path, as they were recorded */
	struct pprof_mapping *items; /* owned; by number - 1 */
};

/* The looks have objects by path. 0 or -ENOMEM; release in both cases. */
int pprof_mappings_init(struct pprof_mappings *m, const struct frame_looks *looks,
			const struct aggregate *a);
/* Adds the samples of a path of paths->items. */
void pprof_mappings_count(struct pprof_mappings *m, const struct stack_paths *paths, size_t path);
/*
 * The program: of the files that pprof does not take for libraries, the one with most samples. 0:
 * there is none.
 */
uint32_t pprof_mappings_program(const struct pprof_mappings *m);
void pprof_mappings_release(struct pprof_mappings *m); /* accepts a zeroed one; idempotent */

#endif
