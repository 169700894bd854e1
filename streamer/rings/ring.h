/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One perf ring, from its consumer's side. Records come from the kernel and go to a copy buffer.
 *
 * The kernel appends whole records and moves data_head. The writer copies whole records out and
 * moves data_tail, which gives the space back. Both positions are free-running; an offset is a
 * position masked with the size. Records are never interpreted in the ring itself, and space is
 * held only while it is copied.
 *
 * A ring can be opened over a perf descriptor or over any descriptor whose mapping follows the
 * protocol of the perf mmap page (the tests use a memfd). The content of the page is not trusted.
 * An impossible head is behind the tail, or more than the size ahead. An impossible record is
 * shorter than its header, no multiple of 8, or reaches beyond the head. Each of them breaks the
 * ring, never the recorder.
 *
 * Threads: main opens and closes the ring. In between, one thread drains it and calls all other
 * functions, here and in ring_backward.h: its writer, or main if it is the ring of a trigger. The
 * exceptions: any thread may call ring_waiting() and ring_written_backward(), main calls
 * ring_peek(), and task_filter_look() of any writer reads side-band rings. The kernel is the other
 * side of data_head and data_tail (ordering note 1 of docs/threads.md); of a ring without a kernel,
 * main is (ring_fed.h).
 *
 * Source: include/uapi/linux/perf_event.h, kernel/events/ring_buffer.c.
 */
#ifndef TS_STREAMER_RINGS_RING_H
#define TS_STREAMER_RINGS_RING_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/stream/chunk.h"
#include "streamer/rings/file_ids.h"
#include "streamer/rings/overwrite_state.h"

#define RING_BROKEN UINT64_MAX /* ring_pending(): the head is impossible */

struct task_filter;

struct ring_id {
	uint32_t number; /* in the recording, unique over all writers */
	uint32_t cpu;
	enum ts_ring_kind kind;
};

/* The additional state of a backward ring (ring_backward.h). */
struct ring_past {
	uint8_t *dump;		    /* size_bytes long; constant after open */
	uint64_t dump_off;	    /* where the bytes begin that were taken and not copied yet */
	uint64_t taken_pos;	    /* the newest position that was taken */
	uint64_t overwritten_bytes; /* before the last dump, not reported yet */
	uint64_t paused_ns;	    /* how long the last dump paused the ring; 0: not at all */
	bool is_touched;	    /* the pages of dump exist */
	enum overwrite_state state;
};

/* The additional state of a ring that main fills (ring_fed.h). */
struct ring_fed {
	bool is_on;	    /* constant */
	const uint8_t *run; /* whole records */
	size_t bytes, off;  /* of the run; what is copied already */
	atomic_bool is_given;
};

struct ring {
	/* constant after open */
	struct ring_id id;
	int poll_fd;	     /* becomes readable at the watermark; the caller's */
	uint64_t size_bytes; /* of the data area, a power of two */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t map_bytes;	   /* 0: not open */
	struct file_ids *file_ids; /* of side-band: build-ids for its maps; NULL: none; not owned */

	/* constant once the drainer has the ring */
	struct task_filter *tasks; /* whose side-band stays; NULL: all; task_filter_add() sets it */
	const struct ring *next_filtered; /* in the list of that filter; NULL: the last */

	/* the drainer's only */
	uint64_t tail_pos; /* equals data_tail; only the drainer moves it */
	struct ring_past past;

	/* shared: ordering note 14 */
	struct ring_fed fed;
};

/*
 * Its newest records replace the oldest (ring_backward.h). ring_copy() and the waiting are not for
 * it.
 */
static inline bool ring_is_backward(const struct ring *r)
{
	return r->id.kind == TS_RING_OVERWRITE;
}

enum ring_copied {
	RING_COPY_EMPTY,   /* nothing was there, or nothing of it stays (ring_kind.c) */
	RING_COPY_DONE,	   /* *ret_bytes of whole records were copied and given back */
	RING_COPY_NO_ROOM, /* the first record is larger than the room; nothing was copied */
	RING_COPY_BROKEN,  /* the head or a record is impossible; nothing was given back */
};

/*
 * Maps the ring of `fd`: one page of control and data_bytes (a power of two, at least a page) of
 * data. The descriptors stay the caller's and must outlive the ring. -EPERM: the budget of locked
 * memory is exceeded (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK); smaller rings may fit.
 *
 * A backward ring is mapped read-only: this tells the kernel that it may overwrite. Such a ring
 * also gets address space for its dumps. The first dump touches its pages.
 */
int ring_open(struct ring *r, const struct ring_id *id, int fd, int poll_fd, size_t data_bytes,
	      struct ts_error *err);
void ring_close(struct ring *r); /* unmaps; accepts a zeroed one; idempotent */

/*
 * The watermark for a ring of this size, for attr.wakeup_watermark of the descriptor that is mapped
 * (docs/decisions/0028-half-a-ring.md). Each wake-up costs the tasks that fill the ring, so
 * wake-ups must be few. The watermark is half of the ring. It is a quarter if is_drainer_busy: then
 * the drainer also serves rings of other CPUs, or compresses.
 */
uint32_t ring_watermark_bytes(size_t data_bytes, bool is_drainer_busy);
/*
 * The watermark of a side-band ring is an eighth. Side-band is rare, and comes in bursts: so the
 * writer has most of the ring left when it wakes.
 */
uint32_t ring_sideband_watermark_bytes(uint64_t data_bytes);

/* Bytes that wait to be copied; RING_BROKEN if the head is impossible. */
uint64_t ring_pending(const struct ring *r);

/*
 * About the same for any thread while the ring is open: the difference in the page, at most the
 * size.
 */
uint64_t ring_waiting(const struct ring *r);

/*
 * Copies the oldest whole records to dst, as many as fit into `room` bytes, and gives their space
 * back to the kernel. *ret_bytes is set only with RING_COPY_DONE. A room of 65528 bytes holds any
 * record.
 */
enum ring_copied ring_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes);

/*
 * The length of the whole records at the start of `len` bytes at `run`, which may end inside a
 * record; RING_BROKEN: one of them is impossible.
 */
uint64_t ring_whole_bytes(const uint8_t *run, size_t len);

#endif
