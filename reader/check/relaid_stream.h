/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of ours that is laid anew out of chunks of others: numbers, offsets, index and footer are
 * new, payloads and what their headers tell stay.
 *
 *	laid_open(l, dir, number); laid_add(l, chunk, payload) ...; laid_finish(l); laid_close(l);
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

struct laid {
	const char *path; /* of the directory, for sentences; the owner's */
	struct ts_stream stream;
	struct ts_stream_file file;
	uint8_t *block;
	size_t cap;
	bool is_begun; /* a block is open */
	bool has_uuid; /* of its first chunk */
};

/* Makes data.`number`. *l is the caller's to close, also after failure. */
int laid_open(struct laid *l, struct ts_dir *dir, unsigned int number, struct ts_error *err);
/*
 * Adds a chunk: `c` as its header said, with what has changed of it. It keeps the number of its cut.
 */
int laid_add(struct laid *l, struct ts_chunk *c, const uint8_t *payload, struct ts_error *err);
/* The last block, index and footer. A stream without chunks stays empty. */
int laid_finish(struct laid *l, struct ts_error *err);
void laid_close(struct laid *l); /* idempotent after laid_open() */

#endif
