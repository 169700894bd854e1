/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The upper half of a writer: from its rings into chunks in copy buffers.
 *
 * A step takes the fullest ring that has enough, copies its whole records into the block that is
 * being filled (or beside it, to be compressed into it), gives the ring's space back, and only then
 * walks, compresses and checksums the copy. A block that has no room for any record is queued for
 * the sink. Each chunk says what was lost on its ring and why.
 *
 * A ring has enough when a sixteenth of it is filled, or when it was aimed at: drain_aim() marks
 * what all rings hold at that moment, so that a flush ends although the rings go on filling. A
 * backward ring is left alone until drain_dump(); then it has what was dumped, all of it enough.
 *
 * Invariant: a record leaves its ring only into a chunk, which is counted in its buffer.
 *
 * Threads: one, the writer, but for the counters, which any thread may read.
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
#include "streamer/writer/buffer.h"
#include "streamer/writer/histogram.h"

#define DRAIN_NO_CLOCK ((clockid_t)-1)
#define DRAIN_SIDES    2 /* streams that it may fill at once: before and after a cut */

struct drain_counters {
	struct ts_counter records, samples, own_samples, raw_bytes, chunks;
	struct ts_counter lost,
		lost_disk,		/* records, told by LOST; the part that the disk caused */
		lost_compression;	/* and the part that compressing caused */
	struct ts_counter lost_samples; /* samples, told by LOST_SAMPLES */
	struct ts_counter throttles;	/* THROTTLE records */
	struct ts_counter overwritten_bytes;
	struct ts_counter paused_max_ns; /* the longest that a dump kept the kernel from the ring */
	struct ts_counter fill_max_bytes;
	struct ts_counter time_min_ns, time_max_ns; /* 0: no record with a time yet */
};

struct drain_ring {
	/* constant after init */
	struct ring *ring;
	const struct ring_kind *kind; /* once it is there */
	/* its own of drain.timelines, which the writer keeps; one a side */
	struct ts_timeline *timelines[DRAIN_SIDES];

	/* writer only */
	uint64_t target_pos;	/* to be drained up to here */
	bool is_there;		/* it is mapped; else its CPU has not come yet */
	bool is_broken;		/* never looked at again */
	bool is_high;		/* more than three quarters were full at the last look */
	bool owes_dump;		/* to be dumped when nothing of the dump before is left */
	uint64_t kept_until_ns; /* of a backward ring: the newest record of its dumps */
	/* Why it filled up, if it did, since it was drained last; and between the two drains
	 * before. TS_LOSS_NONE: no reason but that the writer came late. */
	enum ts_loss_cause late_now, late_before;

	/* any thread: relaxed counters */
	_Alignas(TS_CACHE_LINE) struct drain_counters counters[DRAIN_SIDES];
};

/* A stream in the making, and what is about to go into it. */
struct drain_side {
	struct ts_stream stream;
	struct buffer *filling; /* NULL: none */

	/* any thread: relaxed counters */
	struct ts_counter plain_bytes; /* not compressed though it was asked for */
	struct ts_counter compress_ns; /* CPU time that compressing took */
};

struct drain {
	/* constant after init */
	struct drain_ring *rings;
	struct ts_timeline *timelines; /* one a ring and side */
	size_t nr_rings;
	struct buffer_pool *pool;
	uint32_t own_pid;
	clockid_t clock; /* of the records' times; DRAIN_NO_CLOCK: the kernel's own */
	bool compresses;
	uint8_t *raw;	/* pool->buffer_bytes, where records lie to be compressed */
	uint8_t *split; /* the same, where a run lies that a cut may go through; NULL: none comes */
	void *workspace; /* workspace_bytes, zstd's, on the same memory nodes */
	size_t workspace_bytes;

	/* writer only */
	struct ts_compressor compressor;
	struct drain_side sides[DRAIN_SIDES];
	uint8_t side;		     /* that is recorded into; in a cut: what came before it */
	uint64_t cut_ns;	     /* records from this time on are the other side's; 0: no cut */
	uint64_t nr_samples, nr_own; /* taken since the owner set them to 0 */
	bool is_starved;	     /* the last step found no free buffer */
	bool has_compressed;	     /* the last step did, and nobody has looked since */
	bool only_targets;	     /* the end: nothing beyond them is taken */
	struct ts_error error;	     /* of the first broken ring; code 0: none */

	/* any thread: relaxed counters */
	struct ts_histogram lag; /* age of the oldest record of a chunk when it was copied */
};

enum drain_step {
	DRAIN_NOTHING,	 /* no ring has enough */
	DRAIN_TOOK,	 /* a ring was served */
	DRAIN_NO_BUFFER, /* a ring has enough, but no buffer is free */
};

struct drain_plan {
	struct ring *const *rings; /* outlive the drain; not mapped: see drain_admit() */
	size_t nr_rings;
	struct buffer_pool *pool; /* outlives the drain */
	int compression_level;	  /* 0: plain */
	clockid_t clock;	  /* of the records' times, or DRAIN_NO_CLOCK */
	const uint8_t *uuid;	  /* 16 bytes; copied */
	size_t align;		  /* of blocks in the file */
	bool has_cuts;		  /* drain_begin_cut() will be called */
	uint32_t own_pid;	  /* whose samples are counted apart; 0: nobody's */
};

/* Allocates all that draining will need. -ENOMEM, -EINVAL (level). */
int drain_init(struct drain *d, const struct drain_plan *plan, struct ts_error *err);
void drain_release(struct drain *d); /* accepts a zeroed one; idempotent */

/* A ring that was not mapped when the drain was made is now. */
void drain_admit(struct drain *d, size_t ring);
/* Marks what the rings hold now as to be taken. last: and nothing beyond it from now on. */
void drain_aim(struct drain *d, bool last);
/* Dumps all backward rings; resumes: they are written to afterwards (ring_backward.h). */
void drain_dump(struct drain *d, bool resumes);
enum drain_step drain_step(struct drain *d);
/*
 * Takes back from the timelines of its rings what a block could not put into the file: the chunks
 * from `first_chunk` on, but for the first `kept` records of that one. A chunk whose header is no
 * longer sound is passed over.
 */
void drain_unwrite(struct drain *d, const struct buffer *b, uint32_t first_chunk, uint64_t kept);
/*
 * From now on records go by their time: those before time_ns into the stream that is there, the
 * others into a new one, number `cut` of the recording. The owner of drain_step() must be kept out of
 * it meanwhile, and the side that is not recorded into must be over: nothing of it is queued.
 */
void drain_begin_cut(struct drain *d, uint64_t time_ns, uint32_t cut, size_t align);
/*
 * No record from before the cut is in any ring any more: queues the end of that stream; the pool must
 * have a free buffer. What is recorded from now on is the new side's alone.
 */
void drain_end_cut(struct drain *d);
/* Queues the blocks that are being filled, if they hold any chunk. */
void drain_end_block(struct drain *d);
/*
 * Queues the end of the stream (index and footer); the pool must have a free buffer and no block
 * may be filling. Nothing may be drained after that.
 */
void drain_finish(struct drain *d);

#endif
