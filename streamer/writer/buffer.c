// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/buffer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Maps memory for a further buffer. The memory is touched, so draining takes no page fault. */
uint8_t *buffer_map_memory(const struct buffer_pool *p)
{
	return memory_place_map(&p->place, p->buffer_bytes);
}

int buffer_pool_init(struct buffer_pool *p, uint32_t nr, size_t buffer_bytes,
		     hwloc_const_bitmap_t nodes, struct ts_error *err)
{
	uint8_t *memory;
	uint32_t i;

	*p = (struct buffer_pool){.buffer_bytes = buffer_bytes};
	if (nr < 2 || !buffer_bytes || buffer_bytes > UINT32_MAX ||
	    buffer_bytes % (size_t)sysconf(_SC_PAGESIZE))
		return ts_error_set(err, EINVAL,
				    "cannot make %u copy buffers of %zu bytes: at least two of "
				    "whole pages are needed",
				    nr, buffer_bytes);
	p->items = calloc(nr, sizeof(*p->items));
	if (!p->items || memory_place_init(&p->place, nodes, NULL))
		goto fail;
	p->nr = p->nr_max = p->nr_free = nr;
	/* In one piece, for large pages: fewer misses for the copy, fewer pieces for the disk. */
	memory = memory_place_map(&p->place, nr * buffer_bytes);
	if (!memory)
		goto fail;
	for (i = 0; i < nr; i++)
		p->items[i].data = memory + i * buffer_bytes;
	return 0;
fail:
	buffer_pool_release(p);
	return ts_error_sys(err, ENOMEM, "cannot allocate %u copy buffers of %zu KiB", nr,
			    buffer_bytes / 1024);
}

int buffer_pool_reserve(struct buffer_pool *p, uint32_t nr_max, struct ts_error *err)
{
	struct buffer *items;

	if (nr_max <= p->nr_max)
		return 0;
	items = calloc(nr_max, sizeof(*items));
	if (!items)
		return ts_error_sys(err, ENOMEM, "cannot prepare %u copy buffers", nr_max);
	memcpy(items, p->items, p->nr * sizeof(*items));
	free(p->items);
	p->items = items;
	p->nr_max = nr_max;
	return 0;
}

void buffer_pool_add(struct buffer_pool *p, uint8_t *memory)
{
	assert(p->nr < p->nr_max);
	p->items[p->nr++] = (struct buffer){.data = memory};
	p->nr_free++;
}

void buffer_pool_release(struct buffer_pool *p)
{
	uint32_t i;

	for (i = 0; i < p->nr; i++)
		if (p->items[i].data)
			munmap(p->items[i].data, p->buffer_bytes);
	free(p->items);
	memory_place_release(&p->place);
	*p = (struct buffer_pool){0};
}

struct buffer *buffer_take(struct buffer_pool *p)
{
	uint32_t i;

	for (i = 0; i < p->nr; i++) {
		struct buffer *b = &p->items[i];

		if (b->state != BUFFER_FREE)
			continue;
		b->state = BUFFER_FILLING;
		p->nr_free--;
		b->len = 0;
		b->nr_records = b->nr_samples = b->nr_chunks = 0;
		return b;
	}
	return NULL;
}

void buffer_queue(struct buffer_pool *p, struct buffer *b)
{
	assert(b->state == BUFFER_FILLING);
	b->state = BUFFER_QUEUED;
	b->next = NULL;
	if (p->last)
		p->last->next = b;
	else
		p->first = b;
	p->last = b;
}

struct buffer *buffer_next(struct buffer_pool *p)
{
	struct buffer *b = p->first;

	if (!b)
		return NULL;
	p->first = b->next;
	if (!p->first)
		p->last = NULL;
	b->state = BUFFER_IN_FLIGHT;
	return b;
}

void buffer_mark(struct buffer *b, size_t end, uint64_t nr_records, uint64_t nr_samples)
{
	assert(b->nr_chunks < BUFFER_CHUNKS_MAX);
	b->nr_records += (uint32_t)nr_records;
	b->nr_samples += (uint32_t)nr_samples;
	b->nr_chunks++;
	b->marks[b->nr_chunks - 1] = (struct buffer_mark){
		.end = (uint32_t)end,
		.nr_chunks = b->nr_chunks,
		.nr_records = b->nr_records,
		.nr_samples = b->nr_samples,
	};
}

struct buffer_mark buffer_mark_before(const struct buffer *b, size_t bytes)
{
	uint32_t i = b->nr_chunks;

	while (i > 0 && b->marks[i - 1].end > bytes)
		i--;
	return i > 0 ? b->marks[i - 1] : (struct buffer_mark){0};
}

void buffer_free(struct buffer_pool *p, struct buffer *b)
{
	assert(b->state == BUFFER_FILLING || b->state == BUFFER_IN_FLIGHT);
	b->state = BUFFER_FREE;
	p->nr_free++;
}
