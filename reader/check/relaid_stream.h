/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of ours that is laid anew out of chunks of others: numbers, offsets, index and footer are
 * new, payloads and what their headers tell stay.
 *
 *	relaid_stream_open(l, dir, number); relaid_stream_add(l, chunk, payload) ...; relaid_stream_finish(l); relaid_stream_close(l);
 *
 * Threads: one owner.
 */
#ifndef TS_READER_CHECK_RELAID_STREAM_H
#define TS_READER_CHECK_RELAID_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/directory/directory.h"
#include "common/stream/stream.h"

struct relaid_stream {
	const char *path; /* of the directory, for sentences; the owner's */
	struct ts_stream stream;
	struct ts_stream_file file;
	uint8_t *block;
	size_t cap;
	bool is_begun; /* a block is open */
	bool has_uuid; /* of its first chunk */
};

/* Makes data.`number`. *l is the caller's to close, also after failure. */
int relaid_stream_open(struct relaid_stream *l, struct ts_dir *dir, unsigned int number,
		       struct ts_error *err);
/*
 * Adds a chunk: `c` as its header said, with what has changed of it. It keeps the number of its cut.
 */
int relaid_stream_add(struct relaid_stream *l, struct ts_chunk *c, const uint8_t *payload,
		      struct ts_error *err);
/* The last block, index and footer. A stream without chunks stays empty. */
int relaid_stream_finish(struct relaid_stream *l, struct ts_error *err);
void relaid_stream_close(struct relaid_stream *l); /* idempotent after relaid_stream_open() */

#endif
