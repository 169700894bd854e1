// SPDX-License-Identifier: Apache-2.0
#include "tests/support/backward_ring.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SAMPLE_BYTES 56
#define SAMPLE_TIME  32
#define LOST_BYTES   56 /* header, id, lost; pid and tid, time, cpu, id */

void backward_ring_open(struct backward_ring *b, struct ring *r, size_t data_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct ring_id id = {
		.number = 1, .cpu = (uint32_t)sched_getcpu(), .kind = TS_RING_OVERWRITE};
	int fd = memfd_create("backward", MFD_CLOEXEC);
	struct ts_error err;

	*b = (struct backward_ring){.size_bytes = data_bytes};
	if (fd < 0 || ftruncate(fd, (off_t)(page_bytes + data_bytes)))
		abort();
	b->page = mmap(NULL, page_bytes + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b->page == MAP_FAILED || ring_open(r, &id, fd, -1, data_bytes, &err) < 0)
		abort();
	b->data = (uint8_t *)b->page + page_bytes;
	close(fd);
}

void backward_ring_release(struct backward_ring *b)
{
	munmap(b->page, (size_t)sysconf(_SC_PAGESIZE) + b->size_bytes);
}

void backward_ring_write(struct backward_ring *b, uint64_t pos, const void *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		b->data[(pos + i) & (b->size_bytes - 1)] = ((const uint8_t *)from)[i];
}

static uint64_t put_header(struct backward_ring *b, uint32_t type, size_t size_bytes)
{
	struct perf_event_header hdr = {.type = type, .size = (uint16_t)size_bytes};
	uint64_t head_pos = b->page->data_head - size_bytes;

	backward_ring_write(b, head_pos, &hdr, sizeof(hdr));
	b->page->data_head = head_pos;
	return head_pos;
}

void backward_ring_put(struct backward_ring *b, size_t size_bytes)
{
	uint64_t number = b->next_number++;
	uint64_t pos = put_header(b, PERF_RECORD_SAMPLE, size_bytes);

	backward_ring_write(b, pos + sizeof(struct perf_event_header), &number, sizeof(number));
	backward_ring_write(b, pos + size_bytes - sizeof(number), &number, sizeof(number));
}

void backward_ring_put_at(struct backward_ring *b, uint64_t time_ns)
{
	backward_ring_put(b, SAMPLE_BYTES);
	backward_ring_write(b, b->page->data_head + SAMPLE_TIME, &time_ns, sizeof(time_ns));
}

void backward_ring_put_lost(struct backward_ring *b, uint64_t nr, uint64_t time_ns)
{
	uint64_t pos = put_header(b, PERF_RECORD_LOST, LOST_BYTES);

	backward_ring_write(b, pos + 16, &nr, sizeof(nr));
	backward_ring_write(b, pos + LOST_BYTES - 24, &time_ns, sizeof(time_ns));
}
