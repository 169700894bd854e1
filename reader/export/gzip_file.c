// SPDX-License-Identifier: Apache-2.0
#include "reader/export/gzip_file.h"

#include <errno.h>
#include <limits.h>

#include "common/base/min_max.h"

#define LEVEL	    Z_DEFAULT_COMPRESSION
#define GZIP_WINDOW (15 + 16) /* the largest window; 16: a gzip header */
#define MEMORY	    8	      /* zlib's default */

static int tell(const struct gzip_file *g, int zlib_code, struct ts_error *err)
{
	if (zlib_code == Z_MEM_ERROR)
		return ts_error_sys(err, ENOMEM, "cannot compress %s", g->to->path);
	return ts_error_set(err, EIO, "cannot compress %s: zlib fails with %d", g->to->path,
			    zlib_code);
}

int gzip_file_open(struct gzip_file *g, struct result_file *to, const struct progress *progress,
		   struct ts_error *err)
{
	int code;

	g->to = to;
	g->progress = progress;
	g->stream = (z_stream){0};
	code = deflateInit2(&g->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY);
	g->is_open = code == Z_OK;
	g->stream.next_out = g->out;
	g->stream.avail_out = sizeof(g->out);
	return g->is_open ? 0 : tell(g, code, err);
}

static int write_out(struct gzip_file *g, struct ts_error *err)
{
	const int rc = progress_is_stopped(g->progress)
			       ? -EINTR
			       : result_file_write(g->to, g->out,
						   sizeof(g->out) - g->stream.avail_out, err);

	g->stream.next_out = g->out;
	g->stream.avail_out = sizeof(g->out);
	return rc;
}

int gzip_file_write(struct gzip_file *g, struct ts_bytes *block, struct ts_error *err)
{
	int rc = ts_bytes_failed(block) ? tell(g, Z_MEM_ERROR, err) : 0;

	for (size_t at = 0; !rc && at < block->len;) {
		const size_t len = ts_min(block->len - at, (size_t)UINT_MAX);
		int code;

		g->stream.next_in = block->data + at;
		g->stream.avail_in = (uInt)len;
		code = deflate(&g->stream, Z_NO_FLUSH);
		at += len - g->stream.avail_in;
		if (code != Z_OK)
			rc = tell(g, code, err);
		else if (!g->stream.avail_out)
			rc = write_out(g, err);
	}
	ts_bytes_clear(block);
	return rc;
}

int gzip_file_close(struct gzip_file *g, struct ts_error *err)
{
	int rc = 0, code = Z_OK;

	while (!rc && code != Z_STREAM_END) {
		code = deflate(&g->stream, Z_FINISH);
		if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
			return tell(g, code, err);
		rc = write_out(g, err);
	}
	return rc;
}

void gzip_file_release(struct gzip_file *g)
{
	if (g->is_open)
		deflateEnd(&g->stream);
	g->is_open = false;
}
