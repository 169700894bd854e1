// SPDX-License-Identifier: Apache-2.0
/*
 *	        tail            head
 *	         v               v
 *	+--------+===============+-----------+	one run: one memcpy
 *	0                                  size
 *
 *	   head                    tail
 *	    v                       v
 *	+===+-----------------------+========+	wrapped: the end first, then the beginning
 *
 * The head is always at the end of a record, so a run up to the head is copied without reading its
 * records. If the room is smaller than the run, the copy is walked to find the last whole record.
 * The rest of the copy is dropped, and is copied again the next time.
 */
#include "streamer/rings/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/min_max.h"

/*
 * The memory is not touched here. Its writer touches it first, so its pages are on the writer's
 * node.
 */
static int prepare_dumps(struct ring *r, struct ts_error *err)
{
	void *dump = mmap(NULL, r->size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (dump == MAP_FAILED)
		return ts_error_sys(err, ENOMEM, "cannot allocate %llu bytes to dump a ring",
				    (unsigned long long)r->size_bytes);
	r->past.dump = dump;
	r->past.dump_off = r->size_bytes;
	r->past.taken_pos = r->page->data_head;
	overwrite_state_move(&r->past.state, OVERWRITE_RUNNING);
	return 0;
}

int ring_open(struct ring *r, const struct ring_id *id, int fd, int poll_fd, size_t data_bytes,
	      struct ts_error *err)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int writable = id->kind == TS_RING_OVERWRITE ? 0 : PROT_WRITE, code;
	void *map;

	*r = (struct ring){.id = *id, .poll_fd = poll_fd, .size_bytes = data_bytes};
	if (data_bytes < page_bytes || (data_bytes & (data_bytes - 1)))
		return ts_error_set(err, EINVAL,
				    "cannot map the ring of CPU %u: %zu bytes is not a power of "
				    "two of at least one page",
				    id->cpu, data_bytes);
	map = mmap(NULL, page_bytes + data_bytes, PROT_READ | writable, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return ts_error_sys(err, errno, "cannot map a ring of %zu KiB of CPU %u",
				    data_bytes / 1024, id->cpu);
	r->map_bytes = page_bytes + data_bytes;
	r->page = map;
	r->data = (uint8_t *)map + page_bytes;
	r->tail_pos = r->page->data_tail;
	code = ring_is_backward(r) ? prepare_dumps(r, err) : 0;
	if (code < 0)
		ring_close(r);
	return code;
}

void ring_close(struct ring *r)
{
	if (r->map_bytes)
		munmap(r->page, r->map_bytes);
	if (r->past.dump)
		munmap(r->past.dump, r->size_bytes);
	r->past = (struct ring_past){.state = OVERWRITE_NOTREADY};
	r->map_bytes = 0;
	r->page = NULL;
	r->data = NULL;
}

uint32_t ring_watermark_bytes(size_t data_bytes, bool is_drainer_busy)
{
	size_t bytes = data_bytes / (is_drainer_busy ? 4 : 2);

	return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

uint32_t ring_sideband_watermark_bytes(uint64_t data_bytes)
{
	return (uint32_t)ts_min(data_bytes / 8, UINT32_MAX);
}

uint64_t ring_pending(const struct ring *r)
{
	/*
	 * Acquire: partner is the smp_wmb() before the store of data_head in
	 * perf_output_put_handle(). All records before this head are then visible to us.
	 */
	uint64_t head_pos = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t pending = head_pos - r->tail_pos;

	return pending > r->size_bytes || pending % 8 ? RING_BROKEN : pending;
}

static void copy_out(const struct ring *r, uint8_t *dst, size_t len)
{
	size_t off = r->tail_pos & (r->size_bytes - 1);
	size_t until_end = r->size_bytes - off;
	size_t first = ts_min(len, until_end);

	memcpy(dst, r->data + off, first);
	memcpy(dst + first, r->data, len - first);
}

static void give_back(struct ring *r, size_t len)
{
	r->tail_pos += len;
	/*
	 * Release: partner is the control dependency on data_tail in __perf_output_begin(). The
	 * kernel writes over the space once it sees this tail; our copy must be complete by then.
	 */
	__atomic_store_n(&r->page->data_tail, r->tail_pos, __ATOMIC_RELEASE);
}

uint64_t ring_whole_bytes(const uint8_t *run, size_t len)
{
	struct perf_event_header hdr;
	size_t at = 0;

	while (len - at >= sizeof(hdr)) {
		memcpy(&hdr, run + at, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size % 8)
			return RING_BROKEN;
		if (hdr.size > len - at)
			break;
		at += hdr.size;
	}
	return at;
}

/* Relaxed: nobody reads records out of the ring because of this number. */
uint64_t ring_waiting(const struct ring *r)
{
	uint64_t tail_pos = __atomic_load_n(&r->page->data_tail, __ATOMIC_RELAXED);
	uint64_t waiting = __atomic_load_n(&r->page->data_head, __ATOMIC_RELAXED) - tail_pos;

	return ts_min(waiting, r->size_bytes);
}

enum ring_copied ring_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes)
{
	uint64_t pending = ring_pending(r);
	uint64_t len = pending;

	if (pending == RING_BROKEN)
		return RING_COPY_BROKEN;
	if (pending == 0)
		return RING_COPY_EMPTY;
	if (pending > room) {
		len = room & ~(size_t)7;
		copy_out(r, dst, len);
		len = ring_whole_bytes(dst, len);
		if (len == RING_BROKEN)
			return RING_COPY_BROKEN;
		if (len == 0)
			return RING_COPY_NO_ROOM;
	} else {
		copy_out(r, dst, len);
	}
	give_back(r, len);
	*ret_bytes = len;
	return RING_COPY_DONE;
}
