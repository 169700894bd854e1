/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result as one gzip member, written block by block.
 *
 *	gzip_file_open()
 *	gzip_file_write()    ...
 *	gzip_file_close()    the end: without it the member is cut
 *	gzip_file_release()  in any case
 *
 * The member has no time and no name, so equal contents are equal files.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_EXPORT_GZIP_FILE_H
#define TS_READER_EXPORT_GZIP_FILE_H

#include <stdint.h>
#include <zlib.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/runtime/progress.h"

#define GZIP_FILE_ROOM (32u << 10)

struct gzip_file {
	struct result_file *to;
	const struct progress *progress;
	z_stream stream;
	bool is_open;
	uint8_t out[GZIP_FILE_ROOM]; /* compressed bytes that are not written yet */
};

/* *to and *progress must outlive *g. Returns 0 or -ENOMEM. */
int gzip_file_open(struct gzip_file *g, struct result_file *to, const struct progress *progress,
		   struct ts_error *err);
/*
 * Writes the bytes of a block and clears it. -EINTR: it was stopped, or -EPIPE: the reader of standard
 * output went away; then *err is not set.
 */
int gzip_file_write(struct gzip_file *g, struct ts_bytes *block, struct ts_error *err);
int gzip_file_close(struct gzip_file *g, struct ts_error *err);
void gzip_file_release(struct gzip_file *g); /* accepts a zeroed one; idempotent */

#endif
