/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast scan of record headers: cuts a stream of records into ranges.
 *
 * Cutting hops from header to header and touches nothing else. Only cutting is sequential, and
 * ranges are read in parallel (range_read.h), so a capture of one file uses every core, too.
 * Compressed records of perf's own captures are one endless zstd stream per file. They are inflated
 * while the file is cut, and their ranges lie in memory. Ranges of a stream that expands far more
 * than others are packed there.
 *
 * Threads: a struct range_scan belongs to one thread.
 */
#ifndef TS_READER_CHUNKS_RANGE_SCAN_H
#define TS_READER_CHUNKS_RANGE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/perf/inflate.h"
#include "common/perf/record.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/packed_range.h"

struct range_scan {
	const struct capture_stream *stream;
	struct memory *memory; /* the capture's: holds inflated records */
	uint32_t stream_index;
	const struct ts_events *events;
	uint32_t mmap_len;  /* of HEADER_COMPRESSED */
	bool is_unfinished; /* the recorder was killed: an incomplete last record is no damage */
	bool has_left_grid; /* a plain record had a size that is no multiple of 8 */
	bool is_broken;	    /* the frame of compressed records cannot be continued */
	uint64_t at;	    /* file offset of the next record */
	uint64_t limit;	    /* a range of plain records ends at the first one from here on */
	/* inflated bytes that are not cut yet: whole records and the beginning of one */
	struct ts_inflater inflater;
	bool is_inflating;
	uint64_t record_end;  /* end of the compressed record that is half read; 0: none is */
	uint64_t nr_inflated; /* inflated bytes of the stream so far */
	uint64_t small_bytes; /* of whole records among them, and of the head of large ones */
	uint64_t free_bytes; /* it may inflate so many without a reason: a share of INFLATED_FREE */
	struct packed_range_maker packer;
	uint8_t *pending;
	size_t pending_len, pending_cap;
	uint64_t pending_offset;     /* file offset of the compressed record in which they begin */
	uint64_t pending_end;	     /* file offset behind what was inflated into them */
	struct chunk_counts *counts; /* counts of the compressed records themselves; may be NULL */
};

/* Results of range_scan_next() and stream_walk_next(). */
enum range_scan_found {
	RANGE_SCAN_END = 0,
	RANGE_SCAN_CHUNK = 1,  /* *ret_chunk */
	RANGE_SCAN_DAMAGE = 2, /* *ret_damage; more ranges may follow */
};

/*
 * Begins before the first record of a stream of *c, which outlives the scan. The scan adds to
 * *counts.
 */
void range_scan_init(struct range_scan *s, const struct capture *c, uint32_t stream,
		     struct chunk_counts *counts);
/*
 * The next range of about CHUNK_SCAN_BYTES, which ends between records. Sets stream, offset, bytes,
 * raw_bytes, inflated and packed_bytes of *ret_chunk. If inflated is set, the caller must memory_free() it.
 * Returns enum range_scan_found or -ENOMEM.
 */
int range_scan_next(struct range_scan *s, struct chunk *ret_chunk, struct chunk_damage *ret_damage);
void range_scan_release(struct range_scan *s); /* accepts a zeroed one; idempotent */

#endif
