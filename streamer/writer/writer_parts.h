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

struct writer_thread {
	/* constant after writer_new() */
	cpu_set_t *cpus; /* NULL: anywhere */
	size_t cpus_bytes;

	/* main starts and joins it; the new thread reads its name, function and argument */
	struct ts_thread task;

	/* shared: each has an order of its own */
	struct ts_stop stop; /* the order to stop */
	sem_t is_set_up;     /* posted once, by the thread */

	/* set by the thread; constant once it is set up */
	enum schedule schedule;
	int set_up_rc; /* 0, or -errno: the thread has ended */
};

/* Rings of the plan that were not open at the start: ordering note 10 of docs/threads.md. */
struct writer_arrivals {
	uint32_t *rings; /* owned; their indices, in the order in which they were opened; by main */
	uint32_t nr_taken;			/* writer only */
	_Alignas(TS_CACHE_LINE) atomic_uint nr; /* main writes, the writer reads */
};

/* From the queue of the pool to the file; writer only. */
struct writer_output {
	struct sink sink;
	struct write_order laying;
	uint8_t *skeleton; /* of `laying`, on the writer's memory nodes; NULL: writes are direct */
	enum sink_kind kind;	  /* constant once the thread is set up */
	uint8_t side;		  /* the side of which the sink has the file; DRAIN_SIDES: none */
	bool has_failed;	  /* nothing is written any more */
	struct buffer *in_flight; /* NULL: the sink is idle */
};

/* The times of a writer: flushes, pauses, waits for a buffer; writer only. */
struct writer_pace {
	uint64_t look_period_ns; /* between two flushes; constant */
	uint64_t next_flush_ns;
	uint64_t looked_ns;	   /* last look at the rings, or end of the last sleep */
	uint64_t starved_since_ns; /* 0: not starved */
	struct self_throttle rest; /* pauses because of its own samples */
};

/* A cut, and the two sides between which it is: ordering note 12 of docs/threads.md. */
struct writer_cut {
	pthread_mutex_t gate; /* the writer holds it while it drains */
	pthread_mutex_t turn; /* taken before the gate: else a busy writer would starve main */
	struct ts_stream_file files[DRAIN_SIDES]; /* main puts the new side there, under the gate */
	uint8_t reported; /* the side whose statistics are reported; main only */

	_Atomic int step; /* enum cut_step */

	/* writer only, but writer_cut() sets them for the new side */
	bool has_dumped; /* the writer has dumped its backward rings in this cut */
	uint64_t file_bytes[DRAIN_SIDES];

	/* writer only */
	bool is_settling;      /* it aims at the last records from before the cut */
	bool owes_end;	       /* the end of the stream from before the cut is not queued yet */
	bool has_ended_stream; /* the end of that stream is written */
};

/* In the order of the path: the thread takes records out of rings and writes them. */
struct writer {
	struct writer_plan plan; /* constant after writer_new() */
	struct writer_thread thread;
	struct buffer_supply_slot *supply; /* its own; NULL: none; constant after writer_new() */

	/* writer only */
	_Alignas(TS_CACHE_LINE) enum phase phase;
	bool is_aiming; /* a flush or the end is not drained yet */
	struct writer_pace pace;
	struct wait wait;
	struct drain drain; /* writer_cut() puts the new side there */
	struct buffer_pool pool;
	struct writer_output output;
	struct ts_error error; /* read by others after the join */

	/* main's and the writer's, as their fields say */
	struct writer_cut cut;
	struct writer_arrivals arrivals;

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
