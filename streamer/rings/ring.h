/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One perf ring, seen by its consumer: the first stop after the kernel, before the copy buffer.
 *
 * The kernel appends whole records and moves data_head; we copy whole records out and move
 * data_tail, which gives the space back. Both positions are free-running; an offset is a position
 * masked with the size. Nothing is ever interpreted in the ring itself, and space is held only
 * while it is copied.
 *
 * A ring can be opened over a perf descriptor or over any descriptor whose mapping follows the
 * protocol of the perf mmap page (the tests use a memfd). What stands in the page is not trusted: a
 * head that cannot be (behind the tail, or more than the size ahead) and a record that cannot be
 * (shorter than its header, no multiple of 8, beyond the head) break the ring, they never break us.
 *
 * Threads: open and close belong to one thread; in between one thread at a time, the writer that
 * drains it, calls the rest, but for ring_waiting(). The other side of data_head and data_tail is
 * the kernel (ordering note 1 of docs/threads.md).
 *
 * Source: include/uapi/linux/perf_event.h, kernel/events/ring_buffer.c.
 */
#ifndef TS_STREAMER_RINGS_RING_H
#define TS_STREAMER_RINGS_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/stream/chunk.h"
#include "streamer/rings/overwrite_state.h"

#define RING_BROKEN UINT64_MAX /* ring_pending(): the head cannot be */

struct ring_id {
	uint32_t number; /* in the recording, unique over all writers */
	uint32_t cpu;
	enum ts_ring_kind kind;
};

/* What a backward ring has beside: ring_backward.h. */
struct ring_past {
	uint8_t *dump;		    /* of as many bytes as the ring; constant after open */
	uint64_t dump_off;	    /* where what was taken and not copied yet begins in it */
	uint64_t taken_pos;	    /* the newest position that was taken */
	uint64_t overwritten_bytes; /* before the last dump, and not told of yet */
	uint64_t paused_ns;	    /* so long the last one kept the kernel from it; 0: none did */
	bool is_touched;	    /* the memory is there */
	enum overwrite_state state;
};

struct ring {
	/* constant after open */
	struct ring_id id;
	int poll_fd;	     /* becomes readable at the watermark; the caller's */
	uint64_t size_bytes; /* of the data area, a power of two */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t map_bytes; /* 0: not open */

	/* the drainer's only */
	uint64_t tail_pos; /* what data_tail says; only we move it */
	struct ring_past past;
};

/* Its newest records replace the oldest (ring_backward.h); none of what copies and waits is for it. */
static inline bool ring_is_backward(const struct ring *r)
{
	return r->id.kind == TS_RING_OVERWRITE;
}

enum ring_copied {
	RING_COPY_EMPTY,   /* nothing was there */
	RING_COPY_DONE,	   /* *ret_bytes of whole records were copied and given back */
	RING_COPY_NO_ROOM, /* the first record is larger than the room; nothing was copied */
	RING_COPY_BROKEN,  /* the head or a record cannot be; nothing was given back */
};

/*
 * Maps the ring of `fd`: one page of control and data_bytes (a power of two, at least a page) of
 * data. The descriptors stay the caller's and must outlive the ring. -EPERM: over the budget of
 * locked memory (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK); smaller rings may fit. A backward ring
 * is mapped to be read only, by which the kernel knows that it may overwrite, and gets the memory of
 * its dumps, which is there when the first one is made.
 */
int ring_open(struct ring *r, const struct ring_id *id, int fd, int poll_fd, size_t data_bytes,
	      struct ts_error *err);
void ring_close(struct ring *r); /* unmaps; accepts a zeroed one; idempotent */

/*
 * The watermark for a ring of this size, for attr.wakeup_watermark of the descriptor that is mapped
 * (docs/decisions/0028-half-a-ring.md). Each wake-up costs whoever fills the ring, so there are to be
 * few: half of the ring where the drainer has nothing else to do, a quarter where other CPUs' rings
 * or compressing keep it busy meanwhile.
 */
uint32_t ring_watermark_bytes(size_t data_bytes, bool is_drainer_busy);

/* Bytes that wait to be copied; RING_BROKEN when the head cannot be. */
uint64_t ring_pending(const struct ring *r);

/* About the same, for any thread while the ring is open: what the page says, at most the size. */
uint64_t ring_waiting(const struct ring *r);

/*
 * Copies the oldest whole records, as many as there are and fit into `room` bytes at dst, and gives
 * their space back to the kernel. *ret_bytes is set only with RING_COPY_DONE. A room of 65528 bytes
 * holds any record.
 */
enum ring_copied ring_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes);

#endif
