/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer: one thread that moves records from its rings into its stream.
 *
 *	rings -> copy buffer -> (compression) -> block -> sink -> data.N
 *
 * It is pinned, is woken when a ring reaches its watermark, when a write is complete or has to be
 * tried again (sink_due_ns()), when it is told to stop, and once per flush period, and for nothing
 * else. When it is behind, the fullest ring comes first. Records are copied and their space is
 * given back at once; the walk, the checksum and the compression work on the copy. One block is
 * written at a time, further ones wait in order. Nothing is allocated after start.
 *
 * Invariant: every record copied out of a ring is either in the stream or counted as unwritten.
 *
 * Threads: all functions belong to one thread, the main one, but for writer_stop() and the
 * statistics, which any thread may use between writer_new() and writer_free(). The error is read by
 * writer_join().
 */
#ifndef TS_STREAMER_WRITER_WRITER_H
#define TS_STREAMER_WRITER_WRITER_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/base/error.h"
#include "common/base/fdio.h"
#include "streamer/writer/histogram.h"
#include "common/base/stop.h"
#include "common/stream/timeline.h"
#include "streamer/rings/ring.h"
#include "streamer/writer/sink.h"
#include "streamer/writer/buffer_supply.h"
#include "streamer/watch/size_limit.h"

#define WRITER_BUFFERS_DEFAULT	    4 /* a hiccup of the disk finds room; see 0021-wakeups.md */
#define WRITER_BUFFERS_MANY	    2 /* of more than WRITER_MANY writers: memory adds up */
#define WRITER_MANY		    16
#define WRITER_BUFFER_BYTES_DEFAULT (1024u * 1024)
#define WRITER_BUFFER_BYTES_MIN	    (256u * 1024)

/* How a writer is to be. Everything it points to is the caller's and outlives writer_free(). */
struct writer_plan {
	uint32_t number;	    /* N of data.N; names the thread tstream-wNN */
	hwloc_const_bitmap_t cpus;  /* where it runs; NULL or empty: where the caller runs */
	hwloc_const_bitmap_t nodes; /* where its buffers lie (buffer.h); NULL: anywhere */
	/* its drainer is the writer from start to join; opened, or all zero: see writer_add_ring() */
	struct ring *const *rings;
	size_t nr_rings;
	struct ts_stream_file file; /* data.N, empty; the caller's; ignored by SINK_NULL */
	const char *stream_path;    /* of it, for sentences */
	enum sink_kind sink;
	uint64_t flush_ns; /* no record waits longer in ring or buffer; at least 1 ms */
	uint64_t sync_ns;  /* a block is on the disk that much after it was written; 0: no matter */
	int compression_level; /* of zstd; 0: plain */
	clockid_t clock;     /* of the records' times, or DRAIN_NO_CLOCK: their lag is not known */
	uint32_t nr_buffers; /* at least 2 */
	size_t buffer_bytes; /* of each, a multiple of 4096, at least WRITER_BUFFER_BYTES_MIN */
	int rt_priority;     /* SCHED_FIFO with this priority; 0: ordinary, with a short slice */
	uint8_t uuid[16];    /* of the recording */
	struct ts_stop
		*failure; /* raised by the writer when it fails; it does not obey it itself */
	struct size_limit *limit;     /* counts the bytes of all writers; NULL: none */
	struct size_limit *switch_at; /* the same, for --switch-output; NULL: none */
	struct buffer_supply *supply; /* of further buffers, with a slot `number`; NULL: none */
	int cut_fd;    /* with has_cuts: an eventfd, written to at the end of a cut */
	bool has_cuts; /* writer_cut() will be called */
	const struct sink_faults *faults; /* testing aid; NULL: none */
};

/* What a writer has done so far; a snapshot, not exact while it runs. */
struct writer_stats {
	uint64_t records, samples; /* copied out of rings */
	uint64_t own_samples;	   /* the part of the samples that is of the recorder itself */
	uint64_t raw_bytes;	   /* of those */
	uint64_t stream_bytes;	   /* written to data.N, chunk headers and padding included */
	uint64_t chunks, blocks;   /* written */
	uint64_t unwritten_records, unwritten_samples; /* copied out, then lost by a failed write */
	uint64_t lost;		    /* sum of the LOST records that went by: ring full */
	uint64_t lost_disk;	    /* the part of it that fell while no buffer was free */
	uint64_t lost_compression;  /* the part that fell while it compressed */
	uint64_t lost_samples;	    /* sum of the LOST_SAMPLES records */
	uint64_t throttles;	    /* THROTTLE records */
	uint64_t overwritten_bytes; /* of backward rings */
	uint64_t paused_max_ns;	    /* the longest that a dump kept the kernel from such a ring */
	uint64_t wakeups;
	uint64_t buffers;     /* copy buffers that it has by now */
	uint64_t plain_bytes; /* with compression: of records that stayed plain, as it was behind */
	uint64_t compress_ns; /* CPU time that compressing the others took */
	uint64_t rests;	      /* pauses because its own events kept waking it */
	uint64_t write_max_ns;	   /* longest time from start to completion of a block */
	uint64_t drain_gap_max_ns; /* longest time between two looks at the rings, sleep excluded */
	uint64_t syncs, sync_max_ns; /* --sync: how many, and how long the longest took */
	uint64_t starved_ns; /* time without a free buffer while rings had enough to be drained */
};

/* The same for one ring of a writer. */
struct writer_ring_stats {
	uint64_t records, samples, own_samples, raw_bytes, chunks;
	uint64_t lost, lost_disk, lost_compression, lost_samples, throttles;
	uint64_t fill_max_bytes; /* the most that waited in it at a look */
	uint64_t overwritten_bytes, paused_max_ns;
	uint64_t time_min_ns, time_max_ns; /* of its records; 0, 0: none has a time */
};

/*
 * What it measured of itself; the histograms at any time, the rest is 0 until it has ended.
 */
struct writer_measures {
	struct ts_histogram_counts lag;	  /* age of a chunk's oldest record when it was copied */
	struct ts_histogram_counts write; /* from start to completion of a block */
	uint64_t user_ns, system_ns;	  /* CPU time of its thread */
	uint64_t helpers_ns; /* of the threads that write for it (streamer/machine/thread_cost.h) */
	uint64_t memory_bytes; /* of its buffers */
};

struct writer;

/*
 * Makes a writer by its plan (copied; rings and path are not) with its buffers. NULL and *err when
 * that fails; nothing is left behind then.
 */
struct writer *writer_new(const struct writer_plan *plan, struct ts_error *err);

/*
 * Starts the thread and waits until it is ready to drain: pinned, scheduled, its sink set up and
 * its rings polled. On failure the thread is gone already and the error is its own.
 */
int writer_start(struct writer *w, struct ts_error *err);

/*
 * Puts it back to the CPUs of its plan, where the kernel has moved it away because they were offline.
 * False: not yet. A CPU takes threads only some time after it is listed as online.
 */
bool writer_pin(struct writer *w);

/*
 * A ring of its plan (index into plan.rings) that was not open yet is: the writer drains it from now
 * on. Once for each of them.
 */
void writer_add_ring(struct writer *w, size_t ring);

/*
 * Tells it to end: it drains what its rings hold now, writes it, closes the stream with index and
 * footer. Call it when the events are disabled. Returns at once; idempotent; from any thread.
 */
void writer_stop(struct writer *w);

/*
 * Waits for its end. 0, or the error that it met while running: then the stream is readable up to
 * the failure, and what was copied but not written is counted.
 */
int writer_join(struct writer *w, struct ts_error *err);

void writer_free(struct writer *w); /* stops and joins when needed; NULL is fine */

/*
 * --- cuts: the stream goes on in another file, at one time for all writers ---
 *
 *	writer_hold() all; read the clock; writer_cut() all; writer_unhold() all
 *	wait until what was recorded before that time is in the rings
 *	writer_settle_cut() all; wait until writer_cut_is_over() for all
 *	read statistics and timelines, which are those of the stream that ended; writer_begin_next() all
 *
 * A held writer takes nothing out of its rings. After a cut records go by their time. A writer that
 * is stopped within a cut ends both streams.
 */
void writer_hold(struct writer *w);
void writer_unhold(struct writer *w);
/*
 * `file`: data.N of the next directory, empty; stays the caller's; as direct as the one before. dumps:
 * backward rings are dumped, else they stay as they are.
 */
void writer_cut(struct writer *w, uint64_t time_ns, uint32_t cut, bool dumps,
		const struct ts_stream_file *file);
void writer_settle_cut(struct writer *w);
/* The stream from before the cut has its end, and nothing is written to its file any more. */
bool writer_cut_is_over(const struct writer *w);
/* From now on statistics and timelines are those of the stream that goes on. */
void writer_begin_next(struct writer *w);

/* What it has done so far, by any thread; the numbers agree with each other after the join. */
void writer_read_stats(const struct writer *w, struct writer_stats *ret);
/* `ring`: index into plan.rings. */
void writer_read_ring_stats(const struct writer *w, size_t ring, struct writer_ring_stats *ret);
void writer_read_measures(const struct writer *w, struct writer_measures *ret);
/* When that ring's records were kept and lost; to be read after the join, the writer's. */
const struct ts_timeline *writer_timeline(const struct writer *w, size_t ring);

/*
 * How it writes, once started: "io_uring", "pwrite" or "null"; and whether the writes are direct.
 */
const char *writer_io_name(const struct writer *w);
bool writer_is_direct(const struct writer *w);
/* How its thread is scheduled, once started; a word of streamer/machine/schedule.h. */
const char *writer_schedule_name(const struct writer *w);

#endif
