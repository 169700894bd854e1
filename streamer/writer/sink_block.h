/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block in progress of a sink, one operation after the other. The kinds of sinks, which execute
 * the operations (sink_uring.c, sink_pwrite.c, sink_null.c), and sink.c above them use it. After a
 * failure writer_blocks.c calls sink_block_truncate().
 *
 * Threads: the writer.
 */
#ifndef TS_STREAMER_WRITER_SINK_BLOCK_H
#define TS_STREAMER_WRITER_SINK_BLOCK_H

#include "streamer/writer/sink.h"

/*
 * Operation `op` ended with `res` (bytes or -errno). All operations from s->at up to it were
 * complete. Later operations of the same start were not begun.
 */
void sink_block_complete(struct sink *s, size_t op, int64_t res);

/* Returns the bytes of operation `op` that are left to write, shortened if the faults demand it. */
struct iovec sink_block_rest(const struct sink *s, size_t op, uint64_t *ret_offset);

/*
 * After a failure the sink has cut the stream to s->file_bytes, a record boundary. This function
 * cuts it further, if the owner cannot account for all that remained of the block.
 */
void sink_block_truncate(struct sink *s, uint64_t bytes);

/* The largest number of bytes <= limit that are whole records, in the block as it was at first. */
size_t sink_block_whole_records(const struct sink *s, size_t limit);
/* Marks the block as failed, after s->error has been set. The file keeps `keep` bytes. */
void sink_block_fail(struct sink *s, uint64_t keep);

#endif
