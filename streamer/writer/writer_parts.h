/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files writer*.c alone.
 *
 * Threads: see the groups of struct writer.
 */
#ifndef TS_STREAMER_WRITER_WRITER_PARTS_H
#define TS_STREAMER_WRITER_WRITER_PARTS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "common/base/counter.h"
#include "common/base/thread.h"
#include "streamer/machine/schedule.h"
#include "streamer/writer/buffer.h"
#include "streamer/writer/drain.h"
#include "streamer/writer/self_throttle.h"
#include "streamer/writer/wait.h"
#include "streamer/writer/write_order.h"
#include "streamer/writer/writer.h"

enum phase {
	PHASE_RUNNING,
	PHASE_ENDING,	 /* told to stop: the rings are drained for the last time */
	PHASE_FINISHING, /* index and footer are queued */
	PHASE_OVER,
};

/* The progress of a cut. Main makes each step but the last one, CUT_OVER. */
enum cut_step {
	CUT_NONE,
	CUT_BEGUN,   /* the time of a record decides its side */
	CUT_SETTLED, /* all records from before the cut are in the rings */
	CUT_OVER,    /* set by the writer: the old stream is complete */
};

struct writer_stream_counters { /* of one side of the drain */
	struct ts_counter stream_bytes, chunks, blocks;
	struct ts_counter unwritten_records, unwritten_samples;
};

struct writer_counters {
	struct writer_stream_counters streams[DRAIN_SIDES];
	struct ts_counter syncs, sync_max_ns;
	struct ts_counter buffers;
	struct ts_counter wakeups, rests, write_max_ns, drain_gap_max_ns, starved_ns;
	struct histogram write;
	struct ts_counter user_ns, system_ns, helpers_ns, memory_bytes; /* set at its end */
};

struct writer {
	/* constant after writer_new() */
	struct writer_plan plan;
	cpu_set_t *cpus; /* NULL: anywhere */
	size_t cpus_bytes;
	uint64_t look_period_ns;
	struct ts_thread thread;
	struct ts_stop stop;		   /* the order to stop */
	sem_t is_set_up;		   /* posted once, by the thread */
	struct buffer_supply_slot *supply; /* its own; NULL: none */
	uint32_t *arrivals; /* indices of rings that were opened later, in that order */
	uint8_t *skeleton;  /* of `laying`, on the writer's memory nodes; NULL: writes are direct */

	/* set by the writer; constant once it is set up */
	enum schedule schedule;
	enum sink_kind sink_kind;
	int set_up_rc; /* 0, or -errno: the thread has ended */

	/* writer only */
	_Alignas(TS_CACHE_LINE) struct buffer_pool pool;
	struct wait wait;
	struct sink sink;
	struct write_order laying;
	struct buffer *in_flight; /* NULL: the sink is idle */
	enum phase phase;
	bool is_aiming;	 /* a flush or the end is not drained yet */
	bool has_failed; /* nothing is written any more */
	uint64_t next_flush_ns;
	struct self_throttle rest; /* pauses because of its own samples */
	uint64_t looked_ns;	   /* last look at the rings, or end of the last sleep */
	uint64_t starved_since_ns; /* 0: not starved */
	struct ts_error error;	   /* read by others after the join */
	bool is_settling;	   /* it aims at the last records from before the cut */
	bool owes_end;		   /* the end of the stream from before the cut is not queued yet */
	bool has_ended_stream;	   /* the end of that stream is written */
	uint8_t sink_side;	   /* the side of which the sink has the file; DRAIN_SIDES: none */
	uint32_t nr_taken;	   /* of the arrivals */

	/* writer only, but writer_cut() puts the new side there: ordering note 12 */
	struct drain drain;
	bool has_dumped; /* the writer has dumped its backward rings in this cut */
	uint64_t file_bytes[DRAIN_SIDES];

	/* main's, under the gate, which the writer holds while it drains: ordering note 12 */
	pthread_mutex_t gate;
	pthread_mutex_t turn; /* taken before the gate: else a busy writer would starve main */
	struct ts_stream_file files[DRAIN_SIDES];
	uint8_t side;	 /* the side whose statistics are reported; main only */
	_Atomic int cut; /* enum cut_step: ordering note 12 */

	/* main writes, the writer reads: ordering note 10 of docs/threads.md */
	_Alignas(TS_CACHE_LINE) atomic_uint nr_arrivals;

	/* any thread: relaxed counters */
	_Alignas(TS_CACHE_LINE) struct writer_counters counters;
};

/* Adds the buffers that the supply has given to the pool; is_running: and to the sink. */
void writer_add_supplied(struct writer *w, bool is_running);

/* --- in the writer's thread --- */

/*
 * Schedules the thread, opens its wait and its sink, and polls its rings. Returns 0, or -errno with
 * w->error. At its end the thread closes all that was opened.
 */
int writer_set_up(struct writer *w);

/* Drains and writes until the stream is closed, or until even waiting fails. */
void writer_run(struct writer *w);

/* Takes over the rings that main has added since the last call. */
void writer_take_arrivals(struct writer *w);

/*
 * Takes completed blocks from the sink and gives it the next one. After a failure, counts the queue
 * as unwritten.
 */
void writer_move_sink(struct writer *w);
/* Once the queue is empty, closes the stream after the last block, and moves on to PHASE_OVER. */
void writer_move_end(struct writer *w);
/*
 * writer_follow_cut() obeys the steps of main: it dumps, then aims at the last records from before
 * the cut. writer_move_cut() queues the end of the stream from before the cut.
 */
void writer_follow_cut(struct writer *w);
void writer_move_cut(struct writer *w);
/* Tells main once that end is written and, with --sync, on the disk. */
void writer_tell_cut(struct writer *w);
/*
 * Ends all writing. The block in flight is counted as unwritten, as far as it is not in the file.
 */
void writer_give_up(struct writer *w, const struct ts_error *err);

/* Only the first failure is reported. */
void writer_note_failure(struct writer *w, const struct ts_error *err);

/*
 * Notes the cost of the writer and of its helpers. Call it at the writer's end, while the helpers
 * exist.
 */
void writer_note_cost(struct writer *w);

#endif
