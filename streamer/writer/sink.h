/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink writes the blocks of a writer to the stream. It is the last step of the path.
 *
 * It takes one block at a time, as a list of write operations that streamer/writer/write_order.h
 * planned. It executes them strictly in order: an operation starts only when the one before it is
 * complete. So a later byte of the stream is never on disk while an earlier one is not. There are
 * three kinds of sinks:
 *
 * - io_uring, with registered buffers and file if the kernel allows it;
 * - pwrite(2) in a helper thread, so that a slow disk does not hold up the rings;
 * - null, which drops everything.
 *
 * After a short write the sink goes on with the remainder. After EAGAIN and EINTR it tries again.
 * If a remainder fails for good, the sink truncates the stream to the last whole record and reports
 * the block as failed, with the sentence in `error`. It takes no more blocks then. If the disk is
 * full, the part of the block that fits is written first.
 *
 * With --sync the stream is synced to the disk in time with fdatasync (sink_sync.c).
 *
 * Tests inject faults at the completions: struct sink_faults.
 *
 * Threads: the writer alone. The pwrite helper owns the list while it works on it (ordering note 3
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
#include "common/base/file_io.h"
#include "common/base/thread.h"
#include "streamer/writer/wait.h"
#include "streamer/writer/write_order.h"

enum sink_kind {
	SINK_AUTO,   /* io_uring, or pwrite if that is refused; decided before sink_open() */
	SINK_URING,  /* io_uring or an error */
	SINK_PWRITE, /* pwrite(2) from a helper thread */
	SINK_NULL,   /* completes everything, writes nothing */
};

/*
 * A testing aid: faults to inject into the operations of a sink. Operations are counted from 0 over
 * the sink's life. Zeroed: no faults. The recorder never sets faults on its own.
 */
struct sink_faults {
	uint32_t delay_ms;     /* each block completes this much later */
	uint64_t fail_at;      /* from this operation on ... */
	int fail_errno;	       /* ... operations fail with this errno; 0: none fails */
	uint32_t fail_times;   /* the number of failing operations; 0: all from there on */
	uint32_t short_every;  /* every n-th operation writes only a part; 0: none does */
	uint64_t sync_fail_at; /* from this sync on, counted from 0 ... */
	int sync_errno;	       /* ... they fail with this errno; 0: none fails */
};

struct sink_plan {
	enum sink_kind kind;	    /* not SINK_AUTO */
	uint32_t number;	    /* of the writer; names the helper thread tstream-pNN */
	struct ts_stream_file file; /* the caller's; ignored by SINK_NULL */
	const char *path;	    /* of the stream, for messages; outlives the sink */
	const struct iovec *memory; /* the memory that blocks may lie in, to be registered */
	unsigned nr_memory;
	unsigned nr_more; /* how many may be added */
	uint64_t sync_ns; /* at most so long after its write a block is on the disk; 0: no syncs */
	const struct sink_faults *faults; /* NULL: none */
};

/* A block to be written: whole records, and the operations that write it. */
struct sink_block {
	const struct write_op *ops; /* untouched until the block is complete */
	size_t nr_ops;		    /* 1, or 1 + 3 a segment */
	size_t len;		    /* bytes of the block */
	const void *data;	    /* all bytes of the block */
	struct write_order *laying; /* planned ops; plans the shorter block for a full disk */
	uint64_t offset;	    /* in the file */
};

enum sink_state {
	SINK_IDLE,    /* sink_write() may be called */
	SINK_BUSY,    /* a block is being written */
	SINK_WRITTEN, /* reported once: the block is complete; the sink is idle now */
	SINK_FAILED,  /* the block could not be written, see error; final */
};

struct sink_helper; /* of sink_pwrite.c */
struct sink;

struct sink_ops {
	int (*open)(struct sink *s, struct ts_error *err);
	/* Starts s->nr_started operations from s->at on, the first one at its byte s->done. */
	void (*start)(struct sink *s);
	void (*look)(struct sink *s); /* reports complete operations; may be NULL */
	void (*sync)(struct sink *s); /* starts a sync; NULL: the kind has nothing to sync */
	bool is_serial;		      /* writes wait for a sync under way, and a sync for writes */
	/* Registers more memory; may be NULL. */
	void (*add)(struct sink *s, void *memory, size_t bytes);
	/* plan.file has been replaced; may be NULL. */
	void (*switch_file)(struct sink *s);
	void (*close)(struct sink *s);
};

struct sink_sync { /* writer only */
	bool is_under_way;
	bool has_failed;
	uint64_t due_ns; /* when to begin the next sync; TS_TIME_NEVER: all blocks are covered */
	uint64_t began_ns;
	uint64_t nr, max_ns; /* ended syncs, and the duration of the longest */
};

struct sink {
	/* constant after open, but plan.file: sink_switch() replaces it */
	struct sink_plan plan;
	struct sink_faults faults;
	const struct sink_ops *ops;
	struct wait *wait;
	struct sink_helper *helper; /* pwrite */

	/* io_uring; writer only */
	bool has_fixed_file; /* the file is registered */
	unsigned nr_fixed;   /* how many pieces of memory are registered */
	struct iovec *fixed; /* those pieces */

	/* the block in progress; writer only */
	enum sink_state state;
	struct sink_block block;
	size_t at;	   /* first operation that is not complete */
	size_t done;	   /* complete bytes of this operation */
	size_t nr_started; /* operations that are started, from `at` on */
	uint32_t attempt;  /* number of the start: completions of an earlier start are stale */
	bool is_under_way; /* a completion is to come */
	bool is_complete;  /* all operations are complete; reported from due_ns on */
	size_t cut_from;   /* the block's bytes before the disk was full; 0: not shortened */
	uint64_t due_ns;   /* of a completion held back or of a retry; TS_TIME_NEVER: none */
	uint64_t started_ns;
	unsigned nr_retries; /* without progress */
	uint64_t nr_ops;     /* completed or failed over the sink's life; for the faults */
	uint64_t write_ns;   /* duration of the last complete block */
	uint64_t file_bytes; /* of complete blocks, from the start of the file */
	struct sink_sync sync;
	struct ts_error error;
};

const char *sink_kind_name(enum sink_kind kind); /* "io_uring", "pwrite", "null", "auto" */

/*
 * Opens a sink whose completions arrive through `wait`. `wait` outlives the sink, and must be of
 * WAIT_URING for SINK_URING. If the kernel refuses to register memory or file, the sink uses them
 * unregistered.
 */
int sink_open(struct sink *s, const struct sink_plan *plan, struct wait *wait,
	      struct ts_error *err);
/* Waits for a helper. A block in progress is abandoned. Accepts a zeroed sink; idempotent. */
void sink_close(struct sink *s);

/*
 * Adds memory that blocks may lie in from now on, beside that of the plan. At most plan.nr_more
 * times.
 */
void sink_add_memory(struct sink *s, void *memory, size_t bytes);

/*
 * Goes on with another file of the same kind, which has file_bytes already. The sink must be idle,
 * and sink_end_sync() must have returned true.
 */
void sink_switch(struct sink *s, const struct ts_stream_file *file, uint64_t file_bytes);

/*
 * Starts a block; the sink must be idle. Returns without waiting. If a sync has failed, the block
 * fails, too.
 */
void sink_write(struct sink *s, const struct sink_block *block);
/* Does all that is possible without waiting, and returns the state of the block. */
enum sink_state sink_look(struct sink *s);
/*
 * Call it when the last block is complete: syncs the blocks that no sync has covered yet. Returns
 * true if nothing is left to be synced, or if a sync failed. If it returns false, call it again
 * after the next wait and sink_look().
 */
bool sink_end_sync(struct sink *s);
/* The time at which sink_look() must be called although nothing completes; TS_TIME_NEVER: none. */
uint64_t sink_due_ns(const struct sink *s);

/* --- for the kinds --- */

/* Reports the end of the sync that the kind was told to start: 0 or -errno. */
void sink_synced(struct sink *s, int res);

/* --- between sink.c and sink_sync.c --- */

void sink_sync_note_written(struct sink *s);	 /* a block is complete */
void sink_sync_look(struct sink *s);		 /* begins a sync that is due and may begin */
bool sink_sync_blocks(const struct sink *s);	 /* writes must wait for the sync */
uint64_t sink_sync_due_ns(const struct sink *s); /* TS_TIME_NEVER: none can begin */

extern const struct sink_ops sink_uring_ops;
extern const struct sink_ops sink_pwrite_ops;
extern const struct sink_ops sink_null_ops;

#endif
