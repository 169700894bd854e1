/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of jitdump files as maps, among those of a capture, in the order of time: each function is a map of
 * the file at its code, from when it was made until something else takes its place.
 *
 * Times of a jitdump file are CLOCK_MONOTONIC's; a capture with others cannot use it, and a
 * warning says so.
 *
 * Threads: one thread, that of the replay.
 */
#ifndef TS_READER_ORDER_JIT_MAPS_H
#define TS_READER_ORDER_JIT_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/notes.h"
#include "reader/capture/capture.h"
#include "reader/tasks/tasks.h"

struct jit_map {		  /* private: one that is to come */
	uint64_t time_ns, number; /* in the order of files and records */
	uint64_t address, bytes, offset;
	uint32_t pid, file;
};

struct jit_file { /* private */
	uint32_t pid;
	char *recorded, *path; /* as mapped; where it is, NULL: nowhere */
};

struct jit_maps {
	const struct capture *capture;
	struct ts_notes *warnings; /* not owned; or NULL */
	struct jit_map *items;	   /* [next, nr) are to come */
	size_t next, nr, cap;
	uint64_t earliest_ns; /* of those to come */
	size_t nr_sorted;     /* [next, nr_sorted) are in order */
	struct jit_file *files;
	uint32_t nr_files, nr_refused;
};

/*
 * The first files that cannot be used are added to `warnings` (or NULL) one by one; of more, how many
 * by the release.
 */
void jit_maps_init(struct jit_maps *j, const struct capture *capture, struct ts_notes *warnings);
void jit_maps_release(struct jit_maps *j); /* accepts a zeroed one; idempotent */
/* Reads the file that a record says was mapped, if it is one. 0 or -ENOMEM. */
int jit_maps_see(struct jit_maps *j, const struct perf_event_header *hdr);
/* Maps what was made up to this time. 0 or -ENOMEM. */
int jit_maps_apply(struct jit_maps *j, struct ts_tasks *tasks, uint64_t until_ns);

#endif
