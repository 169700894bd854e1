/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk through one of our streams, from chunk header to chunk header.
 *
 * A chunk header has the kind and times of its chunk and the place of the next header, so records
 * are not touched. After damage the walk searches the next magic that verifies. Covers and the
 * incomplete last chunk of a killed recording are no damage.
 *
 * Threads: a struct stream_walk belongs to one thread.
 */
#ifndef TS_READER_CHUNKS_STREAM_WALK_H
#define TS_READER_CHUNKS_STREAM_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/chunks/index_walk.h"
#include "reader/chunks/range_scan.h"

struct stream_walk {
	const struct capture_stream *stream;
	uint32_t stream_index;
	uint64_t at; /* file offset of the next record */
	struct index_walk index;
	bool is_indexed;	     /* the chunks of the index come first */
	bool has_sought_index;	     /* for a damaged header */
	bool is_running;	     /* the stream is still written */
	bool has_passed_index;	     /* an index record was passed on the way */
	uint64_t nr_read;	     /* bytes read: index, headers, searched parts */
	struct chunk_counts *counts; /* of the records between payloads; may be NULL */
};

/*
 * Does the stream begin with a record of ours? If its beginning is damaged: does such a record
 * follow soon?
 */
bool stream_walk_is_ours(const struct capture_stream *stream);

/*
 * Without full counts the chunks come from the stream's index, so a long stream is not touched from
 * its beginning to its end. Behind the index, and where it is damaged or missing, the walk hops
 * from header to header. With full counts it hops, too, and the index stands in for headers that
 * are damaged.
 *
 * is_sparse: the stream is mapped for sparse reading. It stays so, except while an index is
 * searched.
 */
void stream_walk_init(struct stream_walk *w, const struct capture *c, uint32_t stream,
		      bool is_sparse, struct chunk_counts *counts);
/*
 * The next chunk. Facts that only its records have (untimed, tasks) are set by the kind of its
 * ring.
 */
enum range_scan_found stream_walk_next(struct stream_walk *w, struct chunk *ret_chunk,
				       struct chunk_damage *ret_damage);

/* Begins at `at` and goes from header to header: for chunks that were added to a stream since. */
void stream_walk_resume(struct stream_walk *w, const struct capture *c, uint32_t stream,
			uint64_t at);

/*
 * The header of a chunk of ours: from its place, or from the index if it is damaged there. False:
 * it is in neither.
 */
bool stream_walk_header(const struct capture *c, const struct chunk *chunk, struct ts_chunk *ret);

void stream_walk_release(struct stream_walk *w); /* accepts a zeroed one; idempotent */

#endif
