/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compressed records of perf's captures: one endless zstd frame for each file, flushed at each
 * record. The records inside may cross from one compressed record into the next. A struct
 * ts_inflater goes through one file in order.
 *
 * Threads: each object has one owner at a time; different objects are independent.
 */
#ifndef TS_COMMON_PERF_INFLATE_H
#define TS_COMMON_PERF_INFLATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

/* HEADER_COMPRESSED.mmap_len: the largest output of one record for which perf has room. */
#define TS_COMPRESS_MMAP_LEN 528384

/*
 * The compressed records of one file, in its order. The caller pulls the output, so no input can
 * demand more memory than the caller's buffer and zstd's window (at most 128 MiB):
 *
 *	ts_inflater_feed(in, record, left, &err);
 *	while ((n = ts_inflater_read(in, buffer, sizeof(buffer), &err)) > 0)
 *		...
 */
struct ts_inflater {
	void *dctx;
	uint64_t limit;	   /* largest output of one record, bytes */
	uint64_t output;   /* of the record being read */
	const uint8_t *at; /* zstd bytes of the current part that are not yet consumed */
	size_t part_left;  /* of this part */
	size_t span_left;  /* behind it, parts of an overflowed type-83 record */
};

/* mmap_len: from HEADER_COMPRESSED; 0 (absent) and absurd values are replaced by 1 GiB. */
int ts_inflater_init(struct ts_inflater *in, uint32_t mmap_len, struct ts_error *err);
void ts_inflater_release(struct ts_inflater *in); /* accepts a zeroed one; idempotent */

/*
 * Bytes that the type-81 or type-83 record at `at` (any alignment) occupies in the file, which has
 * `left` bytes from there. This is more than header.size for a type-83 record that perf 6.16 .. 7.1
 * overflowed. 0: the record reaches beyond left, or its sizes contradict each other.
 */
size_t ts_inflater_span(const void *at, size_t left);
/*
 * Starts on such a record, which must stay in its place until it is read. The previous record must
 * have been read to its end. -EBADMSG: ts_inflater_span() is 0.
 */
int ts_inflater_feed(struct ts_inflater *in, const void *at, size_t left, struct ts_error *err);
/*
 * Gives the next bytes of the record's output, at most cap; 0: all read. -EBADMSG: damaged, -E2BIG:
 * over the limit.
 */
ssize_t ts_inflater_read(struct ts_inflater *in, void *out, size_t cap, struct ts_error *err);

#endif
