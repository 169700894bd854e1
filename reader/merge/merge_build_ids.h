/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The section BUILD_ID of a single file has the build-ids of all maps, beside those that the parts'
 * sections have. `perf buildid-list`, and with it perf2bolt, looks nowhere else.
 *
 *	merge_build_ids_begin()  what the sections of the parts have
 *	merge_build_ids_take()   each record that is written: its file, if it is not known
 *	merge_build_ids_put()    appends them to the section
 *
 * Threads: main thread.
 */
#ifndef TS_READER_MERGE_MERGE_BUILD_IDS_H
#define TS_READER_MERGE_MERGE_BUILD_IDS_H

#include "reader/merge/merge.h"
#include "reader/tasks/hash_index.h"

struct merge_build_ids {
	const struct ts_events *events;
	struct ts_bytes records; /* of the section, each a multiple of 4 bytes */
	struct hash_index index; /* of them, by offset / 4 */
};

/* 0 or -ENOMEM. The caller releases *ids, even after failure. */
int merge_build_ids_begin(struct merge_build_ids *ids, const struct merge *m);
/* Takes whole records, which are sound. 0 or -ENOMEM. */
int merge_build_ids_take(struct merge_build_ids *ids, const void *records, size_t len);
/* Replaces the section of m->features. */
void merge_build_ids_put(struct merge_build_ids *ids, struct merge *m);
void merge_build_ids_release(struct merge_build_ids *ids); /* accepts a zeroed one; idempotent */

#endif
