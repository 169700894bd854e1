/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way through one of our streams: from chunk header to chunk header.
 *
 * A chunk header tells kind, times and place of the next one, so records are not touched. After
 * damage the next magic that verifies is searched. The covers and the incomplete last chunk of a
 * killed recording are no damage.
 *
 * Threads: a struct stream_walk belongs to one thread.
 */
#ifndef TS_READER_CHUNKS_STREAM_WALK_H
#define TS_READER_CHUNKS_STREAM_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/stream/stream_index.h"
#include "reader/chunks/range_scan.h"

struct stream_walk {
	const struct capture_stream *stream;
	uint32_t stream_index;
	uint64_t at;		  /* file offset of the next record */
	struct ts_index *indexes; /* what to give before that; owned */
	size_t nr_indexes, next_index;
	uint32_t next_entry;	     /* of the next index */
	bool has_passed_index;	     /* on the way from header to header */
	uint64_t nr_read;	     /* bytes looked at: indexes, headers, what was searched */
	struct chunk_counts *counts; /* of the records between payloads; may be NULL */
};

/* Does the stream begin with a record of ours, or, its beginning being damaged, have one soon? */
bool stream_walk_is_ours(const struct capture_stream *stream);

/*
 * Without full counts the chunks that the stream's index names are given from there, so that a long
 * stream is not touched from its beginning to its end; behind the index, and where it is damaged or
 * missing, headers are hopped over. is_sparse: the stream is mapped for sparse reading and stays so,
 * but while an index is searched.
 */
void stream_walk_init(struct stream_walk *h, const struct capture *c, uint32_t stream,
		      bool is_sparse, struct chunk_counts *counts);
/* The next chunk, complete but for what only its records tell (untimed, tasks: by kind of ring). */
enum range_scan_found stream_walk_next(struct stream_walk *h, struct chunk *ret_chunk,
				       struct chunk_damage *ret_damage);

/* From there on, header by header: for what has come to a stream since. */
void stream_walk_resume(struct stream_walk *h, const struct capture *c, uint32_t stream,
			uint64_t at);

void stream_walk_release(struct stream_walk *h); /* accepts a zeroed one; idempotent */

#endif
