// SPDX-License-Identifier: Apache-2.0
#include "reader/check/relaid_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int write_block(struct relaid_stream *l, size_t bytes, struct ts_error *err)
{
	int rc = ts_file_write_all(l->file.fd, l->block, bytes);

	l->is_begun = false;
	return rc ? ts_error_sys(err, -rc, "cannot write the capture %s", l->path) : 0;
}

static int grow_block(struct relaid_stream *l, size_t bytes, struct ts_error *err)
{
	size_t cap = (bytes + TS_BLOCK_ALIGN - 1) / TS_BLOCK_ALIGN * TS_BLOCK_ALIGN;

	if (l->cap >= cap)
		return 0;
	free(l->block);
	l->cap = 0;
	l->block = aligned_alloc(TS_BLOCK_ALIGN, cap);
	if (!l->block)
		return ts_error_sys(err, ENOMEM, "cannot write the capture %s", l->path);
	l->cap = cap;
	return 0;
}

/* Ensures that a block with room for the payload is open. */
static int make_room(struct relaid_stream *l, size_t payload_bytes, struct ts_error *err)
{
	/* besides the payload: a header, an index record, and padding of at least a page */
	size_t least = payload_bytes + TS_STREAM_FINISH_MAX + 4 * TS_BLOCK_ALIGN;
	int rc = 0;

	if (l->is_begun && ts_stream_room(&l->stream) >= payload_bytes)
		return 0;
	if (l->is_begun)
		rc = write_block(l, ts_stream_end_block(&l->stream), err);
	if (!rc)
		rc = grow_block(l, least > TS_BLOCK_BYTES ? least : TS_BLOCK_BYTES, err);
	if (rc)
		return rc;
	ts_stream_begin_block(&l->stream, l->block, l->cap);
	l->is_begun = true;
	return 0;
}

int relaid_stream_open(struct relaid_stream *l, struct ts_dir *dir, unsigned int number,
		       struct ts_error *err)
{
	*l = (struct relaid_stream){.path = dir->path, .file = {.fd = -1}};
	return ts_dir_create_stream(dir, number, TS_STREAM_BUFFERED, &l->file, err);
}

int relaid_stream_add(struct relaid_stream *l, struct ts_chunk *c, const uint8_t *payload,
		      struct ts_error *err)
{
	int rc;

	if (!l->has_uuid)
		ts_stream_init(&l->stream, c->uuid, c->cut, l->file.align);
	l->has_uuid = true;
	rc = make_room(l, c->payload_bytes, err);
	if (rc)
		return rc;
	l->stream.cut = c->cut;
	memcpy(ts_stream_payload(&l->stream), payload, c->payload_bytes);
	ts_stream_end_chunk(&l->stream, c);
	return 0;
}

int relaid_stream_finish(struct relaid_stream *l, struct ts_error *err)
{
	int rc = 0;

	if (!l->has_uuid)
		return 0;
	if (l->is_begun)
		rc = write_block(l, ts_stream_end_block(&l->stream), err);
	if (!rc)
		rc = grow_block(l, TS_STREAM_FINISH_MAX, err);
	if (rc)
		return rc;
	ts_stream_begin_block(&l->stream, l->block, l->cap);
	return write_block(l, ts_stream_finish(&l->stream), err);
}

void relaid_stream_close(struct relaid_stream *l)
{
	if (l->file.fd >= 0)
		ts_stream_file_close(&l->file);
	l->file.fd = -1;
	free(l->block);
	l->block = NULL;
	l->cap = 0;
}
