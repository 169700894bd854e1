/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block in progress of a sink, one operation after the other: for the kinds of sinks, which execute
 * them (sink_uring.c, sink_pwrite.c, sink_null.c), and for sink.c, which stands above these.
 *
 * Threads: the writer.
 */
#ifndef TS_STREAMER_WRITER_SINK_BLOCK_H
#define TS_STREAMER_WRITER_SINK_BLOCK_H

#include "streamer/writer/sink.h"

/*
 * Operation `op` ended with `res` (bytes or -errno), all those between s->at and it were complete;
 * later ones of the same start were not begun.
 */
void sink_block_complete(struct sink *s, size_t op, int64_t res);

/* What is left to write of operation `op`, as the faults want it. */
struct iovec sink_block_rest(const struct sink *s, size_t op, uint64_t *ret_offset);

/*
 * After a failure: cuts the stream shorter than the sink did (to s->file_bytes, a record boundary),
 * where the owner cannot account for all that remained of the block.
 */
void sink_block_truncate(struct sink *s, uint64_t bytes);

/* The most bytes <= limit of the block, as it was at first, that are whole records. */
size_t sink_block_whole_records(const struct sink *s, size_t limit);
/* The block has failed, and s->error says why; the file keeps so many bytes. */
void sink_block_fail(struct sink *s, uint64_t keep);

#endif
