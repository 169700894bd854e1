/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The build-ids in the header of a capture (HEADER_BUILD_ID): those of the kernel, its modules and
 * the vdso. Captures of perf have those of all objects.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_SYMBOLS_RECORDED_IDS_H
#define TS_READER_SYMBOLS_RECORDED_IDS_H

#include <stdbool.h>

#include "common/base/build_id.h"
#include "common/perf/header.h"
#include "reader/runtime/name_table.h"

#define RECORDED_KERNEL "[kernel.kallsyms]" /* the name of the kernel there */

struct recorded_ids {
	struct name_table names;   /* of objects; the first that has a name counts */
	struct ts_build_id *items; /* by number of the name */
	size_t cap;
};

/* Reads those of a header. 0 or -ENOMEM; release in both cases. */
int recorded_ids_init(struct recorded_ids *r, const struct ts_header *header);
void recorded_ids_release(struct recorded_ids *r); /* accepts a zeroed one; idempotent */
/* The build-id of the object with this name; false: the header does not have it. */
bool recorded_ids_find(const struct recorded_ids *r, const char *filename, struct ts_build_id *ret);
/* The same, of a header that is asked once. */
bool recorded_ids_search(const struct ts_header *header, const char *filename,
			 struct ts_build_id *ret);

#endif
