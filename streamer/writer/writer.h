/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer: one thread that moves records from its rings into its stream.
 *
 *	rings -> copy buffer -> (compression) -> block -> sink -> data.N
 *
 * The thread is pinned. Only these events wake it:
 *
 * - a ring reaches its watermark;
 * - a write is complete or must be tried again (sink_due_ns());
 * - main gives it an order (to stop, a cut), a new ring, a buffer or records (names scanned again);
 * - the flush period ends.
 *
 * If the writer is behind, the fullest ring comes first. Records are copied and their space is
 * given back at once; the walk, the checksum and the compression work on the copy. One block is
 * written at a time, further blocks wait in order. Nothing is allocated after the start.
 *
 * Invariant: each record that was copied out of a ring is in the stream or is counted as unwritten.
 *
 * Threads: the main thread calls all functions. Any thread may call writer_stop(). Main reads the
 * statistics at any time, the error with writer_join().
 */
#ifndef TS_STREAMER_WRITER_WRITER_H
#define TS_STREAMER_WRITER_WRITER_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/base/error.h"
#include "common/base/file_io.h"
#include "streamer/writer/histogram.h"
#include "common/base/stop.h"
#include "common/stream/timeline.h"
#include "streamer/rings/ring.h"
#include "streamer/writer/sink.h"
#include "streamer/writer/buffer_supply.h"
#include "streamer/watch/sideband_gap.h"
#include "streamer/watch/size_limit.h"

#define WRITER_BUFFERS_DEFAULT	    4 /* for a disk that pauses; see 0021-wakeups.md */
#define WRITER_BUFFERS_MANY	    2 /* with more than WRITER_MANY writers, to save memory */
#define WRITER_MANY		    16
#define WRITER_BUFFER_BYTES_DEFAULT (1024u * 1024)
#define WRITER_BUFFER_BYTES_MIN	    (256u * 1024)

/* The plan of a writer. All that it points to is the caller's and outlives writer_free(). */
struct writer_plan {
	uint32_t number;	    /* N of data.N; names the thread tstream-wNN */
	hwloc_const_bitmap_t cpus;  /* CPUs to run on; NULL or empty: those of the caller */
	hwloc_const_bitmap_t nodes; /* memory nodes of its buffers; NULL: anywhere */
	/* the writer drains them from start to join; open, or all zero: see writer_add_ring() */
	struct ring *const *rings;
	size_t nr_rings;
	struct ts_stream_file file; /* data.N, empty; the caller's; ignored by SINK_NULL */
	const char *stream_path;    /* of data.N, for messages */
	enum sink_kind sink;
	uint64_t flush_ns;     /* a record waits no longer in ring and buffer; at least 1 ms */
	uint64_t sync_ns;      /* a block is on the disk this long after its write; 0: no syncs */
	int compression_level; /* of zstd; 0: plain */
	clockid_t clock;       /* of the records' times; DRAIN_NO_CLOCK: lags are not measured */
	uint32_t nr_buffers;   /* at least 2 */
	size_t buffer_bytes;   /* of each, a multiple of 4096, at least WRITER_BUFFER_BYTES_MIN */
	int rt_priority;       /* SCHED_FIFO with this priority; 0: ordinary, with a short slice */
	uint8_t uuid[16];      /* of the recording */
	struct ts_stop *failure;  /* raised by the writer if it fails; it does not obey the flag */
	struct size_limit *limit; /* sums the bytes of all writers; NULL: none */
	struct size_limit *switch_at; /* the same, for --switch-output; NULL: none */
	struct buffer_supply *supply; /* gives further buffers, by slot `number`; NULL: none */
	struct sideband_gap *gap;     /* gets the losses of side-band; NULL: nobody minds them */
	int cut_fd;    /* an eventfd, written to at the end of a cut; only with has_cuts */
	bool has_cuts; /* writer_cut() will be called */
	const struct sink_faults *faults; /* testing aid; NULL: none */
};

/* The work of a writer so far. It is a snapshot, which is not exact while the writer runs. */
struct writer_stats {
	uint64_t records, samples; /* copied out of rings */
	uint64_t own_samples;	   /* those of the samples that the recorder itself caused */
	uint64_t raw_bytes;	   /* of those records */
	uint64_t stream_bytes;	   /* written to data.N, chunk headers and padding included */
	uint64_t chunks, blocks;   /* written */
	uint64_t unwritten_records, unwritten_samples; /* copied out, not written */
	uint64_t lost;		    /* sum over LOST records: the ring was full */
	uint64_t lost_disk;	    /* the part that was lost while no buffer was free */
	uint64_t lost_compression;  /* the part that was lost while it compressed */
	uint64_t lost_samples;	    /* sum over LOST_SAMPLES records */
	uint64_t throttles;	    /* THROTTLE records */
	uint64_t overwritten_bytes; /* of backward rings */
	uint64_t paused_max_ns;	    /* the longest time that a dump paused such a ring */
	uint64_t wakeups;
	uint64_t buffers;      /* copy buffers that it has now */
	uint64_t plain_bytes;  /* with -z: of records that stayed plain, because it was behind */
	uint64_t compress_ns;  /* CPU time that compressing took */
	uint64_t rests;	       /* pauses, since its own events kept waking it */
	uint64_t write_max_ns; /* longest write of a block, from start to completion */
	uint64_t drain_gap_max_ns; /* longest time between two looks at the rings, sleep excluded */
	uint64_t syncs, sync_max_ns; /* --sync: number, and longest duration */
	uint64_t starved_ns; /* time without a free buffer while rings had enough to be drained */
};

/* The same for one ring of a writer. */
struct writer_ring_stats {
	uint64_t records, samples, own_samples, raw_bytes, chunks;
	uint64_t lost, lost_disk, lost_compression, lost_samples, throttles;
	uint64_t fill_max_bytes; /* the most bytes that waited in the ring at a look */
	uint64_t overwritten_bytes, paused_max_ns;
	uint64_t time_min_ns, time_max_ns; /* of its records; 0, 0: no record has a time */
};

/*
 * Measurements of a writer. The histograms are valid at any time; the rest is 0 until its end.
 */
struct writer_measures {
	struct histogram_counts lag;   /* age of a chunk's oldest record when it was copied */
	struct histogram_counts write; /* from start to completion of a block */
	uint64_t user_ns, system_ns;   /* CPU time of its thread */
	uint64_t helpers_ns; /* of the threads that write for it (streamer/machine/thread_cost.h) */
	uint64_t memory_bytes; /* of its buffers */
};

struct writer;

/*
 * Makes a writer and its buffers. The plan is copied, but not its rings and path. On failure
 * returns NULL and sets *err, and nothing is left behind.
 */
struct writer *writer_new(const struct writer_plan *plan, struct ts_error *err);

/*
 * Starts the thread and waits until it is ready to drain: it is pinned and scheduled, its sink is
 * set up and its rings are polled. On failure the thread has ended, and *err is the thread's error.
 */
int writer_start(struct writer *w, struct ts_error *err);

/*
 * Pins the writer to the CPUs of its plan again, after the kernel has moved it away because they
 * were offline. False: not possible yet. A CPU takes threads only some time after it is listed as
 * online.
 */
bool writer_pin(struct writer *w);

/*
 * Hands over a ring of the plan (index into plan.rings) that was not open before and is open now.
 * The writer drains it from now on. Call it once for each such ring.
 */
void writer_add_ring(struct writer *w, size_t ring);
/* Wakes the writer: main has filled one of its rings (ring_fed.h). */
void writer_wake(struct writer *w);

/*
 * Tells the writer to end: it drains and writes the present content of its rings and closes the
 * stream with index and footer. Call it when the events are disabled. Returns at once. Idempotent.
 * For any thread.
 */
void writer_stop(struct writer *w);

/*
 * Waits for the end of the writer. Returns 0, or the error of its run: then the stream is readable
 * up to the failure, and records that were copied but not written are counted.
 */
int writer_join(struct writer *w, struct ts_error *err);

void writer_free(struct writer *w); /* stops and joins if needed; accepts NULL */

/*
 * --- cuts: the stream goes on in another file, from the same time on for all writers ---
 *
 *	writer_hold() all; read the clock; writer_cut() all; writer_unhold() all
 *	wait until all records from before that time are in the rings
 *	writer_settle_cut() all; wait until writer_cut_is_over() for all
 *	read statistics and timelines of the stream that has ended; writer_begin_next() all
 *
 * A held writer takes nothing out of its rings. After writer_cut() the time of a record decides its
 * stream. A writer that is stopped within a cut ends both streams.
 */
void writer_hold(struct writer *w);
void writer_unhold(struct writer *w);
/*
 * `file`: data.N of the next directory. It is empty, stays the caller's, and is direct if and only
 * if the file before is. dumps: backward rings are dumped; otherwise they stay as they are.
 */
void writer_cut(struct writer *w, uint64_t time_ns, uint32_t cut, bool dumps,
		const struct ts_stream_file *file);
void writer_settle_cut(struct writer *w);
/*
 * True if the stream from before the cut has its end and nothing is written to its file any more.
 */
bool writer_cut_is_over(const struct writer *w);
/* From now on statistics and timelines are those of the stream that goes on. */
void writer_begin_next(struct writer *w);

/*
 * Reads the work of the writer so far. For any thread. The numbers agree with each other after the
 * join.
 */
void writer_read_stats(const struct writer *w, struct writer_stats *ret);
/* `ring`: index into plan.rings. */
void writer_read_ring_stats(const struct writer *w, size_t ring, struct writer_ring_stats *ret);
void writer_read_measures(const struct writer *w, struct writer_measures *ret);
/*
 * When the ring's records were kept and lost. Read it after the join or after the end of a cut. It
 * stays the writer's.
 */
const struct ts_timeline *writer_timeline(const struct writer *w, size_t ring);

/*
 * How a started writer writes: "io_uring", "pwrite" or "null". writer_is_direct(): the writes are
 * direct.
 */
const char *writer_io_name(const struct writer *w);
bool writer_is_direct(const struct writer *w);
/* How the thread of a started writer is scheduled, as a word of streamer/machine/schedule.h. */
const char *writer_schedule_name(const struct writer *w);

#endif
