/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The upper half of a writer: it moves records from rings into chunks in copy buffers.
 *
 * A step serves one ring that has enough: side-band at its watermark before any other, then the
 * ring with the highest fill. A ring that was aimed at counts half a ring more. The step copies
 * whole records into the block that is being filled; records to be compressed are copied beside the
 * block. It gives the ring's space back, and only then walks, compresses and checksums the copy. A
 * block that has no room for a largest record is queued for the sink. Each chunk says how many
 * records its ring lost, and why.
 *
 * A ring has enough if a sixteenth of it is filled, or if it was aimed at. The function drain_aim()
 * marks the content of all rings at that moment, so a flush ends although the rings go on filling.
 * A backward ring is left alone until drain_dump(). Then any rest of its dump is enough.
 *
 * Invariant: a record leaves its ring only into a chunk, which is counted in its buffer.
 *
 * Threads: the writer; main calls drain_init(), drain_release() and, with the writer kept out,
 * drain_begin_cut(). Any thread may read the counters.
 */
#ifndef TS_STREAMER_WRITER_DRAIN_H
#define TS_STREAMER_WRITER_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/base/counter.h"
#include "common/base/error.h"
#include "common/stream/compress.h"
#include "common/stream/stream.h"
#include "common/stream/timeline.h"
#include "streamer/rings/ring.h"
#include "streamer/rings/ring_kind.h"
#include "streamer/watch/sideband_gap.h"
#include "streamer/writer/buffer.h"
#include "streamer/writer/histogram.h"

#define DRAIN_NO_CLOCK ((clockid_t)-1)
#define DRAIN_SIDES    2 /* streams that may be filled at once: before and after a cut */

struct drain_counters {
	struct ts_counter records, samples, own_samples, raw_bytes, chunks;
	struct ts_counter lost,
		lost_disk,	  /* records, reported by LOST; the part that the disk caused */
		lost_compression; /* and the part that compressing caused */
	struct ts_counter lost_samples; /* samples, reported by LOST_SAMPLES */
	struct ts_counter throttles;	/* THROTTLE records */
	struct ts_counter overwritten_bytes;
	struct ts_counter paused_max_ns; /* the longest time that a dump paused the ring */
	struct ts_counter fill_max_bytes;
	struct ts_counter time_min_ns, time_max_ns; /* 0: no record with a time yet */
};

struct drain_ring {
	/* constant after init */
	struct ring *ring;
	/* the ring's own part of drain.timelines, one for each side; the writer updates it */
	struct ts_timeline *timelines[DRAIN_SIDES];

	/* writer only */
	const struct ring_kind *kind; /* before drain_admit(): that of samples */
	uint64_t target_pos;	      /* aimed at: drain up to here */
	bool is_there;		      /* it is mapped; else its CPU was not online yet */
	bool is_broken;		      /* it is never read again */
	bool is_high;		      /* over three quarters full at the last look */
	bool was_full;		      /* before its last copy: records may have been lost */
	bool owes_dump;		      /* dump it when nothing of the last dump is left */
	uint64_t kept_until_ns;	      /* backward ring: time of its newest dumped record */
	/*
	 * The cause if the ring filled up: since its last drain, and between the two drains before.
	 * TS_LOSS_NONE: the writer came late, without a special cause.
	 */
	enum ts_loss_cause late_now, late_before;

	/* any thread: relaxed counters */
	_Alignas(TS_CACHE_LINE) struct drain_counters counters[DRAIN_SIDES];
};

/* A stream that is being written, and the block that is being filled for it. */
struct drain_side {
	struct ts_stream stream;
	struct buffer *filling; /* NULL: none */

	/* any thread: relaxed counters */
	struct ts_counter plain_bytes; /* not compressed, although compression was asked for */
	struct ts_counter compress_ns; /* CPU time that compressing took */
};

struct drain {
	/* constant after init */
	struct drain_ring *rings;
	struct ts_timeline *timelines; /* one a ring and side */
	size_t nr_rings;
	struct buffer_pool *pool;
	uint32_t own_pid;
	struct sideband_gap *gap; /* NULL: nobody minds lost side-band */
	clockid_t clock;	  /* of the records' times; DRAIN_NO_CLOCK: the kernel's own */
	bool compresses;
	uint8_t *raw;	 /* pool->buffer_bytes: records that wait to be compressed */
	uint8_t *split;	 /* the same for a run that a cut may split; NULL: without has_cuts */
	void *workspace; /* workspace_bytes for zstd, on the same memory nodes */
	size_t workspace_bytes;

	/* writer only; drain_begin_cut() writes the other side and cut_ns */
	struct ts_compressor compressor;
	struct drain_side sides[DRAIN_SIDES];
	uint8_t side;		     /* the current one; within a cut: the one from before it */
	uint64_t cut_ns;	     /* records from this time on go to the other side; 0: no cut */
	uint64_t nr_samples, nr_own; /* since the owner last set them to 0 */
	bool is_starved;	     /* the last step found no free buffer */
	uint32_t nr_wanted;	     /* free buffers that the last step needed */
	bool has_compressed;	     /* the last step did, and no ring was looked at since */
	bool only_targets;	     /* at the end: nothing beyond the aims is taken */
	struct ts_error error;	     /* of the first broken ring; code 0: none */

	/* any thread: relaxed counters */
	struct histogram lag; /* age of the oldest record of a chunk when it was copied */
};

enum drain_step {
	DRAIN_NOTHING,	 /* no ring has enough */
	DRAIN_TOOK,	 /* a ring was served */
	DRAIN_NO_BUFFER, /* a ring has enough, but no buffer is free */
};

struct drain_plan {
	struct ring *const *rings; /* outlive the drain; those not mapped yet: drain_admit() */
	size_t nr_rings;
	struct buffer_pool *pool; /* outlives the drain */
	int compression_level;	  /* 0: plain */
	clockid_t clock;	  /* of the records' times, or DRAIN_NO_CLOCK */
	const uint8_t *uuid;	  /* 16 bytes; copied */
	size_t align;		  /* of blocks in the file */
	bool has_cuts;		  /* drain_begin_cut() will be called */
	uint32_t own_pid;	  /* the process whose samples nr_own counts; 0: none */
	struct sideband_gap *gap; /* gets the losses of side-band; outlives the drain; NULL */
};

/* Allocates all memory that draining needs. -ENOMEM, -EINVAL (compression level). */
int drain_init(struct drain *d, const struct drain_plan *plan, struct ts_error *err);
void drain_release(struct drain *d); /* accepts a zeroed one; idempotent */

/* Adds a ring that was not mapped when the drain was made, and is mapped now. */
void drain_admit(struct drain *d, size_t ring);
/*
 * Aims at the present content of all rings: it will be drained. last: nothing beyond it is taken.
 */
void drain_aim(struct drain *d, bool last);
/* Dumps all backward rings. resumes: the kernel goes on writing to them (see ring_dump()). */
void drain_dump(struct drain *d, bool resumes);
enum drain_step drain_step(struct drain *d);
/*
 * Removes from the timelines the chunks of a block that did not reach the file: those from
 * `first_chunk` on, except the first `kept` records of that chunk. A chunk whose header is no
 * longer sound is skipped.
 */
void drain_unwrite(struct drain *d, const struct buffer *b, uint32_t first_chunk, uint64_t kept);
/*
 * Begins a cut: from now on the time of a record decides its stream. Records from before time_ns go
 * into the present stream, the others into a new one, number `cut` of the recording. The thread of
 * drain_step() must be kept out meanwhile. The other side must be finished: none of its blocks is
 * queued.
 */
void drain_begin_cut(struct drain *d, uint64_t time_ns, uint32_t cut, size_t align);
/*
 * Ends a cut, once no ring has records from before it any more: queues the end of the old stream.
 * The pool must have a free buffer. All later records go to the new side.
 */
void drain_end_cut(struct drain *d);
/* Queues the blocks that are being filled if they hold any chunk. */
void drain_end_block(struct drain *d);
/*
 * Queues the end of the stream (index and footer). The pool must have a free buffer, and no block
 * may be filling. Nothing may be drained after that.
 */
void drain_finish(struct drain *d);

#endif
