/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of records, the kernel's and those of perf's tools: their names, and the bytes of their
 * fixed fields.
 *
 * Threads: constant.
 */
#ifndef TS_COMMON_PERF_RECORD_TYPE_H
#define TS_COMMON_PERF_RECORD_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of a name in a record or of an event, with its NUL: as many as of a path. A longer one is
 * nobody's, and each line of the output could have it.
 */
#define TS_RECORD_NAME_MAX 4096

/* perf's name of a record type ("MMAP2", "SAMPLE", "COMPRESSED", ...); NULL for an unknown one. */
const char *ts_record_type_name(uint32_t type);
/*
 * Bytes of the fixed fields of a kernel record, with the header, without name and trailer; 8 for an
 * unknown type.
 */
size_t ts_record_type_fixed_bytes(uint32_t type);
/*
 * Has a kernel record of this type exactly its fixed fields and the trailer? The kernel lengthens
 * none of these types (lengthened.h).
 */
bool ts_record_type_is_exact(uint32_t type);

#endif
