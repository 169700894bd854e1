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

#define RECORDED_KERNEL "[kernel.kallsyms]" /* the name of the kernel there */

/* The build-id of the object with this name; false: the header does not have it. */
bool recorded_ids_find(const struct ts_header *header, const char *filename,
		       struct ts_build_id *ret);

#endif
