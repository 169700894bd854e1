/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a stream of our chunks anew from chunks of other streams. Numbers, offsets, index and
 * footer are new; payloads and the other fields of their headers stay.
 *
 *	relaid_stream_open(), relaid_stream_add() for each chunk, relaid_stream_finish(),
 *	relaid_stream_close()
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
	const char *path; /* of the directory, for messages; not owned */
	struct ts_stream stream;
	struct ts_stream_file file;
	uint8_t *block;
	size_t cap;
	bool is_begun; /* a block is open */
	bool has_uuid; /* taken from the first chunk */
};

/* Creates data.`number`. The caller closes *l, even after failure. */
int relaid_stream_open(struct relaid_stream *l, struct ts_dir *dir, unsigned int number,
		       struct ts_error *err);
/*
 * Adds a chunk. `c` is its old header with the changed fields. The chunk keeps the number of its
 * cut.
 */
int relaid_stream_add(struct relaid_stream *l, struct ts_chunk *c, const uint8_t *payload,
		      struct ts_error *err);
/* Writes the last block, index and footer. A stream without chunks stays empty. */
int relaid_stream_finish(struct relaid_stream *l, struct ts_error *err);
void relaid_stream_close(struct relaid_stream *l); /* idempotent after relaid_stream_open() */

#endif
