// SPDX-License-Identifier: Apache-2.0
/*
 * A failed write removes its chunks from the timelines. Each chunk header names the ring and the
 * times.
 */
#include "common/stream/chunk.h"
#include "streamer/writer/drain.h"

static struct drain_ring *find_ring(struct drain *d, uint32_t number)
{
	for (size_t i = 0; i < d->nr_rings; i++)
		if (d->rings[i].is_there && d->rings[i].ring->id.number == number)
			return &d->rings[i];
	return NULL;
}

void drain_unwrite(struct drain *d, const struct buffer *b, uint32_t first_chunk, uint64_t kept)
{
	for (uint32_t i = first_chunk; i < b->nr_chunks; i++, kept = 0) {
		size_t at = i ? b->marks[i - 1].end : 0;
		struct drain_ring *r;
		struct ts_chunk c;

		if (ts_chunk_parse(b->data + at, b->len - at, b->offset + at, &c) != TS_FOUND_OK)
			continue;
		r = find_ring(d, c.ring);
		if (r)
			ts_timeline_unwrite(r->timelines[b->side], &c, kept);
	}
}
