/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The build-ids that the header of a capture has (HEADER_BUILD_ID): those of the kernel, its modules and
 * the vdso; of perf's captures, of all objects.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_SYMBOLS_RECORDED_IDS_H
#define TS_READER_SYMBOLS_RECORDED_IDS_H

#include <stdbool.h>

#include "common/base/build_id.h"
#include "common/perf/header.h"

#define RECORDED_KERNEL "[kernel.kallsyms]" /* what the kernel is called there */

/* The build-id of what has that name there; false: the header does not say it. */
bool recorded_ids_find(const struct ts_header *header, const char *filename,
		       struct ts_build_id *ret);

#endif
