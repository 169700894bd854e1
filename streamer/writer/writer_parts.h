/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files writer*.c share; of no use to others.
 *
 * Threads: as the groups of struct writer say.
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
	PHASE_ENDING,	 /* told to stop: the rings are drained a last time */
	PHASE_FINISHING, /* index and footer are queued */
	PHASE_OVER,
};

/* How far a cut is; main moves it on, but for the last step. */
enum cut_step {
	CUT_NONE,
	CUT_BEGUN,   /* records go by their time */
	CUT_SETTLED, /* the rings have all records from before it */
	CUT_OVER,    /* the writer: the first of the two streams is complete */
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
	struct ts_histogram write;
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
	uint32_t *arrivals;		   /* rings that were not open at the start, as they come */
	uint8_t *skeleton; /* of `laying`, on its memory nodes; NULL: writes are direct */

	/* writer only; constant once it is set up */
	struct wait wait;
	struct sink sink;
	enum schedule schedule;
	enum sink_kind sink_kind;
	int set_up_rc; /* 0, or -errno: the thread ended */

	/* writer only */
	_Alignas(TS_CACHE_LINE) struct buffer_pool pool;
	struct drain drain;
	struct ts_write_order laying;
	struct buffer *in_flight; /* NULL: the sink is idle */
	enum phase phase;
	bool is_aiming;	 /* a flush, or the end, is not yet drained */
	bool has_failed; /* no more writing */
	uint64_t next_flush_ns;
	struct self_throttle rest; /* from its own samples */
	uint64_t looked_ns;	   /* when the rings were looked at last, or sleep ended */
	uint64_t starved_since_ns; /* 0: not starved */
	struct ts_error error;	   /* read by others after the join */
	bool is_settling;	   /* what it aims at is the last of what came before the cut */
	bool owes_end;		   /* the stream from before the cut has no end yet */
	bool has_ended_stream;	   /* and now it is written */
	bool has_dumped;	   /* its backward rings, in this cut */
	uint8_t sink_side;	   /* whose file the sink has; DRAIN_SIDES: of none */
	uint64_t file_bytes[DRAIN_SIDES];

	uint32_t nr_taken; /* of the arrivals */

	/* main's, behind the gate, which the writer holds while it drains: ordering note 12 */
	pthread_mutex_t gate;
	pthread_mutex_t turn; /* to take the gate: who drains all the time would not let main in */
	struct ts_stream_file files[DRAIN_SIDES];
	uint8_t side;	 /* whose statistics are told; main only */
	_Atomic int cut; /* enum cut_step: ordering note 12 */

	/* main writes, the writer reads: ordering note 10 of docs/threads.md */
	_Alignas(TS_CACHE_LINE) atomic_uint nr_arrivals;

	/* any thread: relaxed counters */
	_Alignas(TS_CACHE_LINE) struct writer_counters counters;
};

/* Takes over what the supply gave meanwhile; is_running: the sink is to know of it. */
void writer_add_supplied(struct writer *w, bool is_running);

/* --- in the writer's thread --- */

/*
 * Schedules it, opens its wait and its sink, polls its rings. 0 or -errno with w->error; what was
 * opened is closed by the thread's end.
 */
int writer_set_up(struct writer *w);

/* Drains and writes until the stream is closed, or nothing can be written any more. */
void writer_run(struct writer *w);

/* Takes the rings that have come since. */
void writer_take_arrivals(struct writer *w);

/* Takes what the sink completed and gives it the next block; after a failure, counts the queue. */
void writer_move_sink(struct writer *w);
/* When the queue is empty, closes the stream behind the last block, and moves on to PHASE_OVER. */
void writer_move_end(struct writer *w);
/* Begins what main has settled, and gives the stream from before the cut its end. */
void writer_obey_cut(struct writer *w);
void writer_move_cut(struct writer *w);
/* Tells main, once that is written and, with --sync, on the disk. */
void writer_tell_cut(struct writer *w);
/* Nothing is written from now on; what is in flight is counted. */
void writer_give_up(struct writer *w, const struct ts_error *err);

/* The first failure is the one that is told. */
void writer_note_failure(struct writer *w, const struct ts_error *err);

/* At its end, while those that write for it are still there: what all of it cost. */
void writer_note_cost(struct writer *w);

#endif
