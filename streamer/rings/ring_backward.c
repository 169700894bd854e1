// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/ring_backward.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "streamer/machine/cpu_visit.h"
#include "streamer/rings/record_walk.h"

static bool switch_ring(struct ring *r, bool pauses)
{
	return ioctl(r->poll_fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pauses) == 0;
}

/*
 * True if nothing below that position has been overwritten up to now. The fence orders the reads of
 * the ring before the read of the head. It has no partner: the records were written by this CPU in
 * the past, or the ring is paused.
 */
static bool is_intact(const struct ring *r, uint64_t end_pos)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return end_pos - __atomic_load_n(&r->page->data_head, __ATOMIC_RELAXED) <= r->size_bytes;
}

/* Copies the record at a position of the ring to dst. The record may wrap the end of the ring. */
static void copy_record(const struct ring *r, uint64_t pos, uint8_t *dst, size_t len)
{
	size_t off = pos & (r->size_bytes - 1);
	size_t first = ts_min(len, r->size_bytes - off);

	memcpy(dst, r->data + off, first);
	memcpy(dst + first, r->data, len - first);
}

/* Bytes of the record at that position; 0: no record is whole within `left` bytes. */
static size_t record_bytes(const struct ring *r, uint64_t pos, uint64_t left)
{
	struct perf_event_header hdr;

	if (left < sizeof(hdr))
		return 0;
	/* a header begins at a multiple of 8, so it does not wrap */
	memcpy(&hdr, r->data + (pos & (r->size_bytes - 1)), sizeof(hdr));
	if (!is_intact(r, pos + sizeof(hdr)))
		return 0;
	return hdr.size < sizeof(hdr) || hdr.size % 8 || hdr.size > left ? 0 : hdr.size;
}

struct copied { /* bytes, from data_head up */
	uint64_t head_pos;
	uint64_t since; /* written since the dump before */
	uint64_t newer; /* of records that are too new: left out */
	uint64_t taken;
};

/*
 * Copies the records from before that time to the end of dst. A record that is too new is copied
 * first as well, and the next record then overwrites it.
 */
static struct copied copy_down(const struct ring *r, uint64_t before_ns, uint8_t *dst)
{
	/* Acquire: partner is the kernel's barrier before it stores data_head, see ring.c. */
	uint64_t head_pos = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE) & ~7ULL;
	struct copied c = {.head_pos = head_pos, .since = r->past.taken_pos - head_pos};
	uint64_t limit = ts_min(c.since, r->size_bytes);
	size_t bytes;

	while ((bytes = record_bytes(r, head_pos + c.newer + c.taken, limit - c.newer - c.taken)) >
	       0) {
		uint8_t *to = dst + r->size_bytes - c.taken - bytes;

		copy_record(r, head_pos + c.newer + c.taken, to, bytes);
		if (!is_intact(r, head_pos + c.newer + c.taken + bytes))
			break;
		if (c.taken || record_walk_time(to) < before_ns)
			c.taken += bytes;
		else
			c.newer += bytes;
	}
	return c;
}

void ring_take(struct ring *r, uint64_t before_ns)
{
	struct ring_past *past = &r->past;
	struct copied c = copy_down(r, before_ns, past->dump);

	past->dump_off = r->size_bytes - c.taken;
	past->overwritten_bytes += c.since - c.newer - c.taken;
	past->taken_pos = c.head_pos + c.newer;
	overwrite_state_move(&past->state, OVERWRITE_EMPTY);
}

/* Touches the memory of the dumps, so that no page fault prolongs a dump or a pause. */
static void touch_memory(struct ring *r)
{
	if (!r->past.is_touched)
		memset(r->past.dump, 0, r->size_bytes);
	r->past.is_touched = true;
}

static int pause_and_take(struct ring *r, uint64_t before_ns, bool resumes)
{
	uint64_t start_ns = ts_clock_now_ns();

	if (!switch_ring(r, true))
		return -errno;
	overwrite_state_move(&r->past.state, OVERWRITE_DATA_PENDING);
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	ring_take(r, before_ns);
	if (!resumes)
		return 0;
	if (!switch_ring(r, false))
		return -errno;
	overwrite_state_move(&r->past.state, OVERWRITE_RUNNING);
	r->past.paused_ns = ts_clock_now_ns() - start_ns;
	return 0;
}

int ring_dump(struct ring *r, uint64_t before_ns, bool resumes)
{
	struct cpu_visit visit;
	int code = 0;

	if (r->past.state != OVERWRITE_RUNNING)
		return 0;
	touch_memory(r);
	cpu_visit_begin(&visit);
	cpu_visit_go(&visit, r->id.cpu);
	if (visit.at == (int)r->id.cpu)
		ring_take(r, before_ns);
	else
		code = pause_and_take(r, before_ns, resumes);
	cpu_visit_end(&visit);
	return code;
}

size_t ring_peek(const struct ring *r, uint8_t *dst)
{
	return r->size_bytes - copy_down(r, TS_TIME_NEVER, dst).taken;
}

uint64_t ring_dump_pending(const struct ring *r)
{
	return r->size_bytes - r->past.dump_off;
}

/* Needs no checks: the records were checked when they were taken. */
static size_t whole_bytes(const uint8_t *at, size_t pending, size_t room)
{
	struct perf_event_header hdr;
	size_t len = 0;

	while (len < pending) {
		memcpy(&hdr, at + len, sizeof(hdr));
		if (hdr.size > room - len)
			break;
		len += hdr.size;
	}
	return len;
}

enum ring_copied ring_dump_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes)
{
	const uint8_t *at = r->past.dump + r->past.dump_off;
	uint64_t pending = ring_dump_pending(r);
	size_t len = pending <= room ? pending : whole_bytes(at, pending, room);

	if (!pending)
		return RING_COPY_EMPTY;
	if (!len)
		return RING_COPY_NO_ROOM;
	memcpy(dst, at, len);
	r->past.dump_off += len;
	*ret_bytes = len;
	return RING_COPY_DONE;
}
