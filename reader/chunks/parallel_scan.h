/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several workers cut large streams of others at once.
 *
 *	stream	|......... piece 0 .........|......... piece 1 .........|.... piece 2 ....|
 *		^ known			    ^ guessed			^ guessed
 *
 * Only the header of a record tells where the next one begins, so a stream is cut from its
 * beginning. In the middle of a stream, bytes that look like a run of records are one, but for rare
 * accidents. A piece begins at such a place, and is cut up to the beginning of the next piece.
 *
 * At the end the pieces are joined in order. If a piece begins where the piece before it ended, the
 * guess was right, and its ranges are those of a sequential cut. Otherwise the piece is dropped and
 * cut again from its real beginning.
 *
 * Compressed records of perf's are one endless frame, so a capture that has any is not cut into
 * pieces.
 *
 * Threads: parallel_scan_plan() and parallel_scan_join() belong to one thread; piece_cut() may run
 * at the same time for different pieces.
 */
#ifndef TS_READER_CHUNKS_PARALLEL_SCAN_H
#define TS_READER_CHUNKS_PARALLEL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_read.h"

#define PIECE_BYTES (16u << 20) /* some milliseconds of work */

struct piece {
	uint32_t stream;
	uint64_t begin,
		limit; /* in the stream's file: cut up to the first record from `limit` on */
	/* filled by piece_cut() */
	uint64_t end; /* where it stopped; 0: it was not cut */
	struct chunk *chunks;
	size_t nr, cap;
	struct damage damage;
	struct chunk_counts counts;
	int rc; /* 0 or -ENOMEM */
};

struct parallel_scan {	     /* zero-initialise */
	struct piece *items; /* by stream, then `begin` */
	size_t nr, cap;
};

/*
 * Plans pieces of about piece_bytes for each stream of others that has two or more of them. They
 * count as `model` does. 0 or -ENOMEM.
 */
int parallel_scan_plan(struct parallel_scan *p, const struct chunk_table *t, uint64_t piece_bytes,
		       const struct chunk_counts *model);
/* Is this stream among them? */
bool parallel_scan_have(const struct parallel_scan *p, uint32_t stream);
/* Cuts a piece and reads its ranges; stops early when the table's progress is stopped. */
void piece_cut(struct piece *p, const struct chunk_table *t, const struct range_layout *layout,
	       struct chunk_buffer *buf);
/*
 * Adds all pieces to the table, which has room for *cap chunks, and their counts to *counts. 0 or
 * -ENOMEM.
 */
int parallel_scan_join(struct parallel_scan *p, struct chunk_table *t, size_t *cap,
		       const struct range_layout *layout, struct chunk_counts *counts);
void parallel_scan_release(struct parallel_scan *p); /* accepts a zeroed one; idempotent */

#endif
