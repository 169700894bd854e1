// SPDX-License-Identifier: Apache-2.0
#include "reader/chunk_look.h"

#include <errno.h>

static void count_compressed(const struct capture *c, const struct chunk *chunk,
			     struct chunk_counts *counts)
{
	const uint8_t *payload = c->streams[chunk->stream].map.data + chunk->offset;
	struct chunk_walk walk = {payload, payload + chunk->bytes};
	const struct perf_event_header *hdr;

	while ((hdr = chunk_walk_next(&walk)))
		if (ts_load_u32(hdr) == TS_RECORD_COMPRESSED)
			scan_count_type(counts, TS_RECORD_COMPRESSED);
}

int chunk_look(const struct chunk_table *t, const struct scan_layout *layout, struct chunk *chunk,
	       struct chunk_counts *counts, struct chunk_buffer *buf,
	       struct chunk_damage *ret_damage)
{
	bool is_ours = chunk->flags & CHUNK_CHECKSUM;
	struct chunk copy = *chunk;
	struct ts_error err;
	const uint8_t *records;
	size_t len;
	int rc;

	if (is_ours && !counts->is_full)
		return 0;
	rc = chunk_load(t, chunk, buf, &records, &len, &err);
	if (rc == -EBADMSG) {
		*ret_damage = chunk_damaged(chunk, &err);
		return SCAN_DAMAGE;
	}
	if (rc)
		return rc;
	if (counts->is_full && !counts->selection && chunk->flags & CHUNK_COMPRESSED)
		count_compressed(t->capture, chunk, counts);
	scan_range(layout, records, len, &copy, counts);
	chunk_unload(t, chunk);
	if (!is_ours)
		*chunk = copy;
	return 0;
}
