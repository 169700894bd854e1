// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/chunk_contents.h"

#include <errno.h>

#include "common/perf/lengthened.h"

static void count_compressed(const struct capture *c, const struct chunk *chunk,
			     struct chunk_counts *counts)
{
	const uint8_t *payload = c->streams[chunk->stream].map.data + chunk->offset;
	struct chunk_walk walk = {payload, payload + chunk->bytes};
	const struct perf_event_header *hdr;

	while ((hdr = chunk_walk_next(&walk)))
		if (ts_record_load_u32(hdr) == TS_RECORD_COMPRESSED)
			chunk_counts_type(counts, TS_RECORD_COMPRESSED);
}

/*
 * A recorder that did not mend took the times of lengthened records for the times of the chunk.
 * Such times may be anything. Only side-band has such records.
 */
static bool has_unsure_times(const struct chunk *chunk)
{
	return chunk->flags & CHUNK_CHECKSUM && chunk->flags & CHUNK_TASKS &&
	       !(chunk->flags & CHUNK_MENDED);
}

static bool has_lengthened(const struct range_layout *layout, const uint8_t *records, size_t len)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;

	while ((hdr = chunk_walk_next(&walk)))
		if (ts_lengthened_is_record(hdr, layout->trailer_bytes))
			return true;
	return false;
}

/* Sets the times that the header of our chunk should have had. */
static void correct_times(struct chunk *chunk, const struct chunk *contents)
{
	chunk->flags |= CHUNK_LENGTHENED;
	chunk->time_min_ns = contents->time_min_ns;
	chunk->time_max_ns = contents->time_max_ns;
	if (contents->time_max_ns)
		chunk->flags &= ~(uint32_t)CHUNK_UNTIMED;
}

int chunk_contents_read(const struct chunk_table *t, const struct range_layout *layout,
			struct chunk *chunk, struct chunk_counts *counts, struct chunk_buffer *buf,
			struct chunk_damage *ret_damage)
{
	bool is_ours = chunk->flags & CHUNK_CHECKSUM, is_counted = !is_ours || counts->is_full;
	struct chunk copy = *chunk;
	struct ts_error err;
	const uint8_t *records;
	bool is_damaged;
	size_t len;
	int rc;

	if (!is_counted && !has_unsure_times(chunk))
		return 0;
	rc = chunk_load(t, chunk, buf, &records, &len, &err);
	is_damaged = rc == -EBADMSG || rc == CHUNK_SALVAGED;
	if (is_damaged && !is_counted)
		return 0; /* the pass that needs the chunk reports the damage */
	if (is_damaged)
		*ret_damage = chunk_damaged(chunk, buf, &err);
	if (rc < 0)
		return is_damaged ? RANGE_SCAN_DAMAGE : rc;
	if (counts->is_full && !counts->selection && chunk->flags & CHUNK_COMPRESSED)
		count_compressed(t->capture, chunk, counts);
	range_read(layout, records, len, &copy, is_counted ? counts : NULL);
	if (has_unsure_times(chunk) && has_lengthened(layout, records, len))
		correct_times(chunk, &copy);
	chunk_unload(t, chunk);
	if (!is_ours)
		*chunk = copy;
	return is_damaged ? RANGE_SCAN_DAMAGE : 0;
}
