// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/drain_cut.h"

#include <assert.h>
#include <string.h>

#include "common/base/min_max.h"
#include "streamer/rings/record_walk.h"
#include "streamer/writer/drain_chunk.h"

void drain_begin_cut(struct drain *d, uint64_t time_ns, uint32_t cut, size_t align)
{
	size_t other = !d->side;

	assert(d->split && !d->cut_ns && !d->sides[other].filling);
	ts_stream_init(&d->sides[other].stream, d->sides[d->side].stream.uuid, cut, align);
	ts_counter_set(&d->sides[other].plain_bytes, 0);
	ts_counter_set(&d->sides[other].compress_ns, 0);
	for (size_t i = 0; i < d->nr_rings; i++) {
		memset(&d->rings[i].counters[other], 0, sizeof(d->rings[i].counters[other]));
		memset(d->rings[i].timelines[other], 0, sizeof(struct ts_timeline));
	}
	d->cut_ns = time_ns;
}

/*
 * Moves records from cut_ns on to `later`, and moves the earlier ones together. Both keep their
 * order. A record without a time stays with the record before it. Bytes that cannot be a record
 * stay with the earlier ones. Returns the bytes of the later records; sets *len to those of the
 * earlier ones.
 */
static size_t split_records(uint64_t cut_ns, uint8_t *records, size_t *len, uint8_t *later)
{
	size_t from = 0, kept = 0, moved = 0;
	bool is_later = false;

	while (*len - from >= sizeof(struct perf_event_header)) {
		struct perf_event_header hdr;
		uint64_t time_ns;

		memcpy(&hdr, records + from, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > *len - from)
			break;
		time_ns = record_walk_time(records + from);
		if (time_ns)
			is_later = time_ns >= cut_ns;
		if (is_later) {
			memcpy(later + moved, records + from, hdr.size);
			moved += hdr.size;
		} else {
			memmove(records + kept, records + from, hdr.size);
			kept += hdr.size;
		}
		from += hdr.size;
	}
	memmove(records + kept, records + from, *len - from);
	*len = kept + *len - from;
	return moved;
}

enum drain_step drain_cut_step(struct drain *d, struct drain_ring *r)
{
	struct drain_side *old = &d->sides[d->side], *new = &d->sides[!d->side];
	bool compresses = drain_chunk_compresses(d, r);
	size_t len, room, moved;
	uint8_t *later;

	d->is_starved =
		!drain_chunk_ensure_block(d, old, r) || !drain_chunk_ensure_block(d, new, r);
	if (d->is_starved)
		return DRAIN_NO_BUFFER;
	room = ts_min(ts_stream_room(&old->stream), ts_stream_room(&new->stream));
	later = compresses ? d->raw : ts_stream_payload(&new->stream);
	len = drain_chunk_copy(d, r, d->split, room);
	moved = split_records(d->cut_ns, d->split, &len, later);
	if (len)
		drain_chunk_make(d, old, r, d->split, len, compresses);
	if (moved)
		drain_chunk_make(d, new, r, later, moved, compresses);
	drain_chunk_forget_fill(r);
	return DRAIN_TOOK;
}
