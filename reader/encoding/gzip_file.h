/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result as one gzip member, written block by block and compressed by several threads.
 *
 *	gzip_file_open()
 *	gzip_file_write()    ...
 *	gzip_file_close()    the end: without it the member is cut
 *	gzip_file_release()  in any case
 *
 * Each block is compressed alone, with the end of the block before as its dictionary, and ends at a
 * whole byte (Z_SYNC_FLUSH). So blocks are joined by writing one after the other. The member has no
 * time and no name, and its bytes do not depend on the number of threads.
 *
 * Threads: one owner; writing uses several.
 */
#ifndef TS_READER_ENCODING_GZIP_FILE_H
#define TS_READER_ENCODING_GZIP_FILE_H

#include <stdint.h>
#include <zlib.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/runtime/progress.h"

#define GZIP_WINDOW_BYTES (32u << 10)

struct gzip_block { /* of one thread, while blocks are compressed */
	struct ts_bytes in, out;
	const uint8_t *before; /* its dictionary */
	size_t before_bytes;
	z_stream stream;
	uint32_t crc; /* of `in` */
	int code;     /* of zlib */
};

struct gzip_file {
	struct result_file *to;
	const struct progress *progress;
	struct gzip_block *blocks;	   /* owned; all are open */
	unsigned int nr_blocks, nr_full;   /* full: to be compressed */
	uint8_t before[GZIP_WINDOW_BYTES]; /* end of what was compressed last */
	size_t before_bytes;
	uint32_t crc, len; /* of all that was compressed; len modulo 2^32 */
};

/* *to and *progress must outlive *g. Returns 0, -ENOMEM, or an error of result_file_write(). */
int gzip_file_open(struct gzip_file *g, struct result_file *to, const struct progress *progress,
		   unsigned int nr_workers, struct ts_error *err);
/*
 * Takes the bytes of a block on the heap, up to 4 GB, and leaves it empty. Blocks of a megabyte are
 * large enough. -EINTR: it was stopped, or -EPIPE: the reader of standard output went away; then *err
 * is not set.
 */
int gzip_file_write(struct gzip_file *g, struct ts_bytes *block, struct ts_error *err);
int gzip_file_close(struct gzip_file *g, struct ts_error *err);
void gzip_file_release(struct gzip_file *g); /* accepts a zeroed one; idempotent */

#endif
