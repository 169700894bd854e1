/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of jitdump files as maps, among the maps of a capture, in the order of time. Each
 * function is a map of the file at the offset of its code. It holds from the time when the function
 * was made until another map replaces it.
 *
 * Times of a jitdump file are CLOCK_MONOTONIC's. A capture with another clock cannot use the file,
 * and gets a warning.
 *
 * Threads: one thread, that of the replay.
 */
#ifndef TS_READER_ORDER_JIT_MAPS_H
#define TS_READER_ORDER_JIT_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/notes.h"
#include "reader/capture/capture.h"
#include "reader/tasks/hash_index.h"
#include "reader/tasks/tasks.h"

struct jit_map {		  /* private: a map that is not applied yet */
	uint64_t time_ns, number; /* number in the order of files and records */
	uint64_t address, bytes, offset;
	uint32_t pid, file;
};

struct jit_file {		   /* private */
	uint32_t pid, pid_in_file; /* that of the record, and that in the file */
	char *recorded, *path;	   /* path as mapped, and path of the file; NULL: not found */
	uint64_t device, inode;
	uint64_t nr_records; /* that were read */
};

struct jit_maps {
	const struct capture *capture;
	struct ts_notes *warnings; /* not owned; or NULL */
	struct ts_error *err;	   /* not owned */
	struct jit_map *items;	   /* not applied yet: a heap, the earliest is the first */
	size_t nr, cap;
	uint64_t nr_ever;  /* maps, also those that were applied */
	uint64_t nr_again; /* records of files that were read for another process before */
	struct jit_file *files;
	uint32_t nr_files, cap_files, nr_refused;
	struct hash_index file_of_name, file_of_inode; /* positions in files */
};

/*
 * Each of the first files that cannot be used gets a line in `warnings` (or NULL). The release adds
 * the number of further files. *err must outlive *j.
 */
void jit_maps_init(struct jit_maps *j, const struct capture *capture, struct ts_notes *warnings,
		   struct ts_error *err);
void jit_maps_release(struct jit_maps *j); /* accepts a zeroed one; idempotent */
/*
 * Reads the file that a record maps, if it is a jitdump file. 0, -ENOMEM, or -EFBIG with a sentence if its
 * code needs more memory than there is.
 */
int jit_maps_see(struct jit_maps *j, const struct perf_event_header *hdr);
/* Maps the code that was made up to this time. 0 or -ENOMEM. */
int jit_maps_apply(struct jit_maps *j, struct tasks *tasks, uint64_t until_ns);

#endif
