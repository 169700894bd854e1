/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink: where a writer's blocks go, the last stop of the path.
 *
 * It takes one block at a time, as a list of write operations, and executes them strictly in
 * order: an operation starts only when the one before it is complete, so that a later byte of the
 * stream is never on disk while an earlier one is not. Behind this interface stand io_uring
 * (registered buffers and file where the kernel lets us), pwrite in a thread of its own, and null,
 * which drops everything. Short writes go on with the remainder, EAGAIN and EINTR are tried again;
 * when a remainder fails for good, the stream is truncated to the last whole record and the failure
 * is reported once. After a failure a sink takes no more blocks.
 *
 * Completions are where tests inject trouble: struct sink_faults.
 *
 * Threads: one, the writer; it waits for completions in `struct wait` (streamer/wait.h).
 */
#ifndef TS_STREAMER_SINK_H
#define TS_STREAMER_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sink_kind {
	SINK_AUTO,   /* io_uring, else pwrite where it is refused */
	SINK_URING,  /* io_uring or an error */
	SINK_PWRITE, /* pwrite(2) from a helper thread */
	SINK_NULL,   /* completes everything, writes nothing */
};

/*
 * A testing aid: what to do to the completions of a sink, counted from 0 over its life. Zeroed: no
 * faults. Never set by the recorder on its own.
 */
struct sink_faults {
	uint32_t delay_ms;    /* every block completes that much later */
	uint64_t fail_at;     /* from this operation on ... */
	int fail_errno;	      /* ... operations fail with this errno; 0: none fails */
	uint32_t fail_times;  /* that many of them; 0: all from there on */
	uint32_t short_every; /* every n-th operation writes only half; 0: none does */
};

/* The name of a kind, for messages: "io_uring", "pwrite", "null", "auto". */
const char *sink_kind_name(enum sink_kind kind);

/*
 * Whether a direct write to the file of fd is whole or absent after a kill: ext4 and xfs, as
 * fstatfs says. Elsewhere blocks are laid in the crash-safe order of buffered streams.
 */
bool sink_trusts_direct(int fd);

#endif
