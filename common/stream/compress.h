/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd in both directions: payloads of chunks into type-81 records and back. inflate.h reads the
 * compressed records of perf's captures.
 *
 * Each type-81 record is one complete zstd frame of whole records, at most TS_COMPRESS_RAW_MAX
 * before compression. A zstd skippable frame in front rounds its size up to 8, because perf 6.1
 * reads it there and nowhere else. A larger record stands plain between them, and so does a run
 * that zstd cannot shrink. Every type-81 record is therefore readable alone, in any order.
 *
 * Threads: each object has one owner at a time; different objects are independent.
 */
#ifndef TS_COMMON_STREAM_COMPRESS_H
#define TS_COMMON_STREAM_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define TS_COMPRESS_RAW_MAX    61440 /* bytes of whole records in one frame */
#define TS_COMPRESS_LEVEL_FAST (-1)  /* faster than 1, hardly larger output; 0 is no level */
#define TS_COMPRESS_LEVEL_MAX  22

struct ts_compressor {
	void *workspace; /* all the memory zstd will ever use here */
	bool owns_workspace;
	void *cctx; /* inside workspace */
	int level;
};

/* level -1, 1 .. 22. Everything is allocated here; -EINVAL (level), -ENOMEM. */
int ts_compressor_init(struct ts_compressor *c, int level, struct ts_error *err);
/*
 * The same in memory of the caller, which the caller keeps: ts_compressor_bytes() of it, zeroed, at
 * a multiple of 64.
 */
int ts_compressor_init_in(struct ts_compressor *c, int level, void *workspace,
			  struct ts_error *err);
size_t ts_compressor_bytes(int level);		     /* 0: no such level */
void ts_compressor_release(struct ts_compressor *c); /* accepts a zeroed one; idempotent */

/* The output never needs more bytes than this, because a run that does not shrink stays plain. */
static inline size_t ts_compress_bound(size_t raw_bytes)
{
	return raw_bytes;
}

/*
 * Compresses len bytes of whole records at raw (each a multiple of 8 bytes) into the payload of a
 * chunk at out. `out` has room for ts_compress_bound(len), is 8-byte aligned and does not overlap
 * raw. Returns the bytes of the payload, a multiple of 8. Cannot fail.
 */
size_t ts_compress(struct ts_compressor *c, const void *raw, size_t len, void *out);

struct ts_decompressor {
	void *dctx;
};

/* Makes the zstd context in advance, so decompression allocates nothing. -ENOMEM. */
int ts_decompressor_init(struct ts_decompressor *d, struct ts_error *err);
void ts_decompressor_release(struct ts_decompressor *d); /* accepts a zeroed one; idempotent */

/*
 * Expands the payload of one of our compressed chunks into whole records: writes exactly raw_bytes
 * (from the chunk header) at raw, or fails. The sentence has the offset in the payload; the caller
 * adds file and chunk in a hint or prefix. -EBADMSG: damaged, or a compressed record yields more than
 * TS_COMPRESS_RAW_MAX.
 */
int ts_decompressor_expand(struct ts_decompressor *d, const void *payload, size_t payload_bytes,
			   void *raw, size_t raw_bytes, struct ts_error *err);
/*
 * The same for a payload whose end is missing (a killed capture): expands its whole records, at
 * most raw_cap bytes. Returns the bytes written.
 */
size_t ts_decompressor_expand_partial(struct ts_decompressor *d, const void *payload,
				      size_t payload_bytes, void *raw, size_t raw_cap);

#endif
