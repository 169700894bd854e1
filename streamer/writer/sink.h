/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink: where a writer's blocks go, the last stop of the path.
 *
 * It takes one block at a time, as the list of write operations that streamer/writer/write_order.h planned, and
 * executes them strictly in order: an operation starts only when the one before it is complete, so
 * that a later byte of the stream is never on disk while an earlier one is not. Behind this
 * interface stand io_uring (registered buffers and file where the kernel lets us), pwrite(2) in a
 * helper thread, so that a slow disk does not hold up the rings, and null, which drops everything.
 *
 * Short writes go on with the remainder, EAGAIN and EINTR are tried again. When a remainder fails
 * for good, the stream is truncated to the last whole record, and the block is reported as failed,
 * with the sentence in `error`; the sink takes no more blocks then. When the disk is full, the part
 * of the block that fits is written first.
 *
 * With --sync the stream is brought to the disk itself (fdatasync) in time: sink_sync.c.
 *
 * Completions are where tests inject trouble: struct sink_faults.
 *
 * Threads: one, the writer. The pwrite helper owns the list while it works on it (ordering note 3
 * of docs/threads.md).
 */
#ifndef TS_STREAMER_WRITER_SINK_H
#define TS_STREAMER_WRITER_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "common/base/error.h"
#include "common/base/fdio.h"
#include "common/base/thread.h"
#include "streamer/writer/wait.h"
#include "streamer/writer/write_order.h"

enum sink_kind {
	SINK_AUTO,   /* io_uring, else pwrite where it is refused; decided before sink_open() */
	SINK_URING,  /* io_uring or an error */
	SINK_PWRITE, /* pwrite(2) from a helper thread */
	SINK_NULL,   /* completes everything, writes nothing */
};

/*
 * A testing aid: what to do to the operations of a sink, counted from 0 over its life. Zeroed: no
 * faults. Never set by the recorder on its own.
 */
struct sink_faults {
	uint32_t delay_ms;     /* every block completes that much later */
	uint64_t fail_at;      /* from this operation on ... */
	int fail_errno;	       /* ... operations fail with this errno; 0: none fails */
	uint32_t fail_times;   /* that many of them; 0: all from there on */
	uint32_t short_every;  /* every n-th operation writes only a part; 0: none does */
	uint64_t sync_fail_at; /* from this sync on, counted from 0 ... */
	int sync_errno;	       /* ... they fail with this errno; 0: none fails */
};

struct sink_plan {
	enum sink_kind kind;	    /* not SINK_AUTO */
	uint32_t number;	    /* of the writer; names the helper thread tstream-pNN */
	struct ts_stream_file file; /* the caller's; ignored by SINK_NULL */
	const char *path;	    /* of the stream, for sentences; outlives the sink */
	const struct iovec *memory; /* where the data of blocks may lie: to be registered */
	unsigned nr_memory;
	unsigned nr_more; /* so many may be added */
	uint64_t
		sync_ns; /* a block is on the disk that much after it was written; 0: never asked for */
	const struct sink_faults *faults; /* NULL: none */
};

/* A block to be written: whole records, and the operations that lay it. */
struct sink_block {
	const struct ts_write_op *ops; /* untouched until the block is complete */
	size_t nr_ops;		       /* 1, or 1 + 3 a segment */
	size_t len;		       /* bytes of the block */
	const void *data;	       /* all of them */
	struct ts_write_order
		*laying; /* that planned ops, and plans anew what a full disk has room for */
	uint64_t offset; /* in the file */
};

enum sink_state {
	SINK_IDLE,    /* sink_write() may be called */
	SINK_BUSY,    /* a block is being written */
	SINK_WRITTEN, /* told once: the block is complete; the sink is idle now */
	SINK_FAILED,  /* the block could not be written, see error; stays so */
};

struct sink_helper; /* of sink_pwrite.c */
struct sink;

struct sink_ops {
	int (*open)(struct sink *s, struct ts_error *err);
	/* Starts s->nr_started operations from s->at on, the first one at its byte s->done. */
	void (*start)(struct sink *s);
	void (*look)(struct sink *s); /* hands over what is complete; may be NULL */
	void (*sync)(struct sink *s); /* starts one; NULL: there is nothing to sync */
	bool is_serial; /* writes wait while a sync is under way, and the other way round */
	/* Registers more memory; may be NULL. */
	void (*add)(struct sink *s, void *memory, size_t bytes);
	/* The file of the plan is another one now; may be NULL. */
	void (*switch_file)(struct sink *s);
	void (*close)(struct sink *s);
};

struct sink_sync { /* writer only */
	bool is_under_way;
	bool has_failed;
	uint64_t due_ns; /* when to begin the next; TS_TIME_NEVER: every block is covered */
	uint64_t began_ns;
	uint64_t nr, max_ns; /* ended ones, and how long the longest took */
};

struct sink {
	/* constant after open */
	struct sink_plan plan;
	struct sink_faults faults;
	const struct sink_ops *ops;
	struct wait *wait;
	bool has_fixed_file;	    /* io_uring: the file is registered */
	unsigned nr_fixed;	    /* io_uring: so many of plan.memory are registered */
	struct iovec *fixed;	    /* io_uring: a copy of them */
	struct sink_helper *helper; /* pwrite */

	/* the block in progress; writer only */
	enum sink_state state;
	struct sink_block block;
	size_t at;	   /* operation that is not yet complete */
	size_t done;	   /* bytes of it that are */
	size_t nr_started; /* operations under way, from `at` on */
	uint32_t attempt;  /* names the start: completions of an earlier one are stale */
	bool is_under_way; /* a completion is to come */
	bool is_complete;  /* all operations are; held back until due_ns */
	size_t cut_from;   /* bytes that the block had before the disk was full; 0: it is whole */
	uint64_t due_ns;   /* of a held completion or of another try; TS_TIME_NEVER: none */
	uint64_t started_ns;
	unsigned nr_retries; /* without progress */
	uint64_t nr_ops;     /* completed or failed, over the sink's life: counts for the faults */
	uint64_t write_ns;   /* how long the last complete block took */
	uint64_t file_bytes; /* of complete blocks, at the start of the file */
	struct sink_sync sync;
	struct ts_error error;
};

const char *sink_kind_name(enum sink_kind kind); /* "io_uring", "pwrite", "null", "auto" */

/*
 * Opens a sink that waits in `wait`, which must be of WAIT_URING for SINK_URING; `wait` outlives
 * it. Memory or file that the kernel does not let us register are used unregistered.
 */
int sink_open(struct sink *s, const struct sink_plan *plan, struct wait *wait,
	      struct ts_error *err);
/* Waits for a helper; a block in progress is abandoned. Accepts a zeroed one; idempotent. */
void sink_close(struct sink *s);

/* Memory that blocks may lie in from now on, beside that of the plan; at most plan.nr_more. */
void sink_add_memory(struct sink *s, void *memory, size_t bytes);

/*
 * Goes on with another file, of the same kind, which has file_bytes already. The sink must be idle, and
 * sink_end_sync() have said that nothing is left.
 */
void sink_switch(struct sink *s, const struct ts_stream_file *file, uint64_t file_bytes);

/*
 * Starts a block; the sink must be idle. Does not block. After a sync that failed, so does the
 * block.
 */
void sink_write(struct sink *s, const struct sink_block *block);
/* Moves on what can be moved without waiting, and says how the block is. */
enum sink_state sink_look(struct sink *s);
/*
 * At the end, when the last block is complete: syncs what no sync has covered yet. true: nothing is
 * left to be synced, or it failed; false: call it again after the next wait and sink_look().
 */
bool sink_end_sync(struct sink *s);
/* When sink_look() has something to do though nothing completes; TS_TIME_NEVER: not. */
uint64_t sink_due_ns(const struct sink *s);

/* --- for the kinds --- */

/* The sync that the kind was asked for ended: 0 or -errno. */
void sink_synced(struct sink *s, int res);

/* --- between sink.c and sink_sync.c --- */

void sink_sync_note_written(struct sink *s);	 /* a block is complete */
void sink_sync_look(struct sink *s);		 /* begins a sync that is due and may begin */
bool sink_sync_blocks(const struct sink *s);	 /* writes must wait for it */
uint64_t sink_sync_due_ns(const struct sink *s); /* TS_TIME_NEVER: none can begin */

extern const struct sink_ops sink_uring_ops;
extern const struct sink_ops sink_pwrite_ops;
extern const struct sink_ops sink_null_ops;

#endif
