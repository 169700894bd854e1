// SPDX-License-Identifier: Apache-2.0
/*
 * A block of three segments after step 1, after steps 2 and 3 of its first segment, and after step
 * 4 of that segment:
 *
 *	page       page       page       page
 *	|c---------|c----|c---|c--|c-----|		c: a cover, 8 bytes of header and dust
 *	|C------(content)|c---|c--|c-----|		C: the cover of a segment
 *	|rrr-rr-r--rrrrrr|c---|c--|c-----|		r: true records
 *
 * A segment ends at the end of a record. Newer perf warns of covers smaller than
 * TS_FILLER_MIN_BYTES. So a segment ends at the last possible record end that leaves covers of at
 * least that size on both sides. If there is none, a smaller cover is written.
 */
#include "streamer/writer/write_order.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/perf_layout.h"
#include "common/stream/chunk.h"

#define PAGE_BYTES ((size_t)4096)

static int no_memory(struct write_order *l, size_t bytes, struct ts_error *err)
{
	write_order_release(l);
	return ts_error_sys(err, ENOMEM, "cannot allocate %zu bytes for writing a stream", bytes);
}

static int init_order(struct write_order *l, size_t block_max, bool direct, struct ts_error *err)
{
	assert(block_max && block_max % PAGE_BYTES == 0);
	memset(l, 0, sizeof(*l));
	l->direct = direct;
	l->block_max = block_max;
	/* two neighbouring segments together are larger than the largest segment */
	l->max_segments = direct ? 0 : 2 * (block_max / TS_RECORD_MAX_BYTES + 1);
	l->ops = calloc(1 + 3 * l->max_segments, sizeof(*l->ops));
	if (!direct)
		l->covers = calloc(l->max_segments, sizeof(*l->covers));
	if (!l->ops || (!direct && !l->covers))
		return no_memory(l, block_max, err);
	return 0;
}

int write_order_init_in(struct write_order *l, size_t block_max, uint8_t *skeleton,
			struct ts_error *err)
{
	int rc = init_order(l, block_max, false, err);

	if (!rc)
		l->skeleton = skeleton;
	return rc;
}

int write_order_init(struct write_order *l, size_t block_max, bool direct, struct ts_error *err)
{
	int rc = init_order(l, block_max, direct, err);

	if (rc || direct)
		return rc;
	l->owns_skeleton = true;
	l->skeleton = aligned_alloc(PAGE_BYTES, block_max);
	if (!l->skeleton)
		return no_memory(l, block_max, err);
	memset(l->skeleton, 0, block_max);
	return 0;
}

void write_order_release(struct write_order *l)
{
	free(l->ops);
	free(l->covers);
	if (l->owns_skeleton)
		free(l->skeleton);
	memset(l, 0, sizeof(*l));
}

static uint64_t covering_bytes(size_t bytes)
{
	const struct perf_event_header hdr = {
		.type = TS_RECORD_EVENT_TYPE,
		.misc = TS_MISC_COVER,
		.size = (uint16_t)bytes,
	};
	uint64_t word;

	memcpy(&word, &hdr, sizeof(word));
	return word;
}

static size_t record_bytes(const uint8_t *at)
{
	struct perf_event_header hdr;

	memcpy(&hdr, at, sizeof(hdr));
	assert(hdr.size >= sizeof(hdr) && hdr.size % 8 == 0);
	return hdr.size;
}

/* True if a segment that ends here leaves covers of which no perf warns. */
static bool is_smooth(size_t at)
{
	const size_t in_page = at % PAGE_BYTES;

	return in_page == 0 ||
	       (in_page >= TS_FILLER_MIN_BYTES && PAGE_BYTES - in_page >= TS_FILLER_MIN_BYTES);
}

/* Returns the end of the segment that begins at `start`: see the head of this file. */
static size_t segment_end(const uint8_t *block, size_t len, size_t start)
{
	size_t at = start, smooth = 0;

	while (at < len) {
		const size_t next = at + record_bytes(block + at);

		if (next - start > TS_RECORD_MAX_BYTES)
			break;
		at = next;
		/* only in the last quarter, so that segments stay few: init_order() counts on it */
		if (is_smooth(at) && at - start > TS_RECORD_MAX_BYTES / 4 * 3)
			smooth = at;
	}
	return smooth && at < len ? smooth : at;
}

/* Puts covers over [start, end): one from `start` to the next page, then one for each page. */
static void put_skeleton(struct write_order *l, size_t start, size_t end)
{
	while (start < end) {
		size_t next = (start & ~(PAGE_BYTES - 1)) + PAGE_BYTES;
		uint64_t word;

		if (next > end)
			next = end;
		word = covering_bytes(next - start);
		memcpy(l->skeleton + start, &word, sizeof(word));
		start = next;
	}
}

static void put_op(struct write_order *l, uint64_t offset, const void *data, size_t len)
{
	if (len)
		l->ops[l->nr_ops++] = (struct write_op){.offset = offset, .data = data, .len = len};
}

size_t write_order_plan(struct write_order *l, const void *block, size_t len, uint64_t file_offset)
{
	const uint8_t *bytes = block;
	size_t start, end, segment = 0;

	assert(len && len <= l->block_max && file_offset % PAGE_BYTES == 0);
	l->nr_ops = 0;
	put_op(l, file_offset, l->direct ? block : l->skeleton, len);
	for (start = 0; !l->direct && start < len; start = end) {
		end = segment_end(bytes, len, start);
		assert(end > start && end <= len && segment < l->max_segments);
		put_skeleton(l, start, end);
		l->covers[segment] = covering_bytes(end - start);
		put_op(l, file_offset + start, &l->covers[segment], sizeof(uint64_t));
		put_op(l, file_offset + start + 8, bytes + start + 8, end - start - 8);
		put_op(l, file_offset + start, bytes + start, sizeof(uint64_t));
		segment++;
	}
	return l->nr_ops;
}
