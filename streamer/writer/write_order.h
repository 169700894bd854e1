/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of writes in which a block reaches a file. A kill at any instant leaves whole records.
 *
 * A direct write is whole or absent after SIGKILL, so one write is enough. A buffered write may
 * tear at any 4096-byte page, in the middle of a record, and perf refuses such a file. So a
 * buffered block is laid in steps:
 *
 *	1  the skeleton, as long as the block: covers (empty type-65 records) chained so that one
 *	   starts at every page and at every segment; segments are runs of whole true records, at
 *	   most TS_RECORD_MAX_BYTES each. Wherever this write tears, whole covers remain.
 *	then for each segment
 *	2  its first 8 bytes: a cover over the whole segment
 *	3  its content from byte 8 on, behind that cover
 *	4  the true first 8 bytes: the segment's records appear, all at once
 *
 * Eight aligned bytes never tear. The writes must reach the file strictly in this order, and each
 * must be complete before the next one begins.
 *
 * Threads: one owner at a time. The operations point into the block and into struct write_order.
 * Both stay untouched until the last operation is complete.
 */
#ifndef TS_STREAMER_WRITER_WRITE_ORDER_H
#define TS_STREAMER_WRITER_WRITE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct write_op {
	uint64_t offset; /* in the file */
	const void *data;
	size_t len; /* > 0 */
};

struct write_order {
	/* constant after init */
	bool direct;
	size_t block_max;
	size_t max_segments;
	uint8_t *skeleton; /* block_max bytes, page aligned; NULL when direct */
	bool owns_skeleton;
	uint64_t *covers; /* header of each segment's cover; max_segments */

	/* of the last plan */
	struct write_op *ops; /* 1 + 3 * max_segments */
	size_t nr_ops;
};

/*
 * Allocates memory for blocks of at most block_max bytes (a multiple of 4096). The only error is
 * -ENOMEM.
 */
int write_order_init(struct write_order *l, size_t block_max, bool direct, struct ts_error *err);
/*
 * The same for buffered writes, with the caller's own memory for the skeleton: block_max zeroed
 * bytes, page aligned. The writes read this memory, and it stays the caller's.
 */
int write_order_init_in(struct write_order *l, size_t block_max, uint8_t *skeleton,
			struct ts_error *err);
void write_order_release(struct write_order *l); /* accepts a zeroed one; idempotent */

/*
 * Plans the writes of a block of whole records (len bytes, to be written at file_offset, a multiple
 * of 4096) into l->ops. Returns their number (l->nr_ops), which is 1 if direct. The operations
 * cover the block completely. len is a multiple of 4096, except for a block that was shortened
 * because the disk is full.
 */
size_t write_order_plan(struct write_order *l, const void *block, size_t len, uint64_t file_offset);

#endif
