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

/*
 * One record of the BUILD_ID feature: perf_event_header, s32 pid, u8 id[20], u8 id_bytes, 3 bytes,
 * filename. False: no whole record is left.
 */
bool recorded_ids_next(struct ts_cursor *c, struct ts_build_id *ret_id, const char **ret_filename);
/* The build-id of the recorded kernel; false: the header does not say it. */
bool recorded_ids_kernel(const struct ts_header *header, struct ts_build_id *ret);

#endif
