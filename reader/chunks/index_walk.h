/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk through the index of one of our streams: the entries of its index records, in the order of
 * the file.
 *
 *	stream	| chunk chunk | index 0 | chunk chunk | index 1 | chunk ... | footer
 *
 * Each index record has the place of the one before it, so the walk begins with the last one and
 * collects the others. An index is used only if its entries ascend, do not overlap, and leave no
 * chunk out. A footer counts chunks. A killed stream has no footer, so the bytes between the chunks
 * of its last index record are looked at.
 *
 * Threads: a struct index_walk belongs to one thread.
 */
#ifndef TS_READER_CHUNKS_INDEX_WALK_H
#define TS_READER_CHUNKS_INDEX_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/stream/stream_index.h"
#include "reader/capture/capture.h"

struct index_walk {
	const struct capture_stream *stream;
	struct ts_index *records; /* owned */
	size_t nr, cap, next;
	uint32_t next_entry; /* of the next record */
	uint64_t nr_read;    /* bytes of the stream that were read to open it */
};

/* Does a footer end the stream? Then its recorder closed it, and the index need not be searched. */
bool index_walk_has_footer(const struct capture_stream *stream);

/*
 * Finds the index. False: the stream has none that can be used, and *w has no entries.
 *
 * is_sparse: the stream is mapped for sparse reading. It stays so, except while an index is
 * searched.
 */
bool index_walk_open(struct index_walk *w, const struct capture_stream *stream, bool is_sparse);
/* The offset behind the last index record of an open walk. */
uint64_t index_walk_end(const struct index_walk *w);

/*
 * The next entry as a chunk, and its index record; NULL: no more. *ret_is_possible: false if the
 * entry is damaged and *ret is not set.
 */
const struct ts_index *index_walk_next(struct index_walk *w, struct ts_chunk *ret,
				       bool *ret_is_possible);
/*
 * Goes on to the chunk whose header stands at `offset`, and returns its index record. NULL: no entry
 * from here on names it. Each offset is larger than the one before.
 */
const struct ts_index *index_walk_find(struct index_walk *w, uint64_t offset, struct ts_chunk *ret);

void index_walk_release(struct index_walk *w); /* accepts a zeroed one; idempotent */

#endif
