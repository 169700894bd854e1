// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/merge_build_ids.h"

#include <errno.h>
#include <string.h>

#include "common/perf/record_layout.h"
#include "reader/order/replay.h"

#define UNIT_BYTES 4 /* of a position in the index */

static bool is_known(const struct merge_build_ids *ids, uint32_t hash, const void *record,
		     size_t bytes)
{
	struct hash_walk walk = hash_walk(&ids->index, hash);
	uint32_t at;

	while (hash_walk_next(&ids->index, &walk, &at)) {
		const uint8_t *known = ids->records.data + UNIT_BYTES * (size_t)at;

		if (ts_record_load_header(known).size == bytes && !memcmp(known, record, bytes))
			return true;
	}
	return false;
}

/* Enters the record that was appended at `at`; a known one is taken away again. */
static int enter_record(struct merge_build_ids *ids, size_t at)
{
	const void *record = ids->records.data + at;
	const size_t bytes = ids->records.len - at;
	uint32_t hash;

	if (ts_bytes_failed(&ids->records))
		return -ENOMEM;
	hash = hash_index_hash(&ids->index, record, bytes);
	if (is_known(ids, hash, record, bytes) || at / UNIT_BYTES >= UINT32_MAX) {
		ids->records.len = at;
		return 0;
	}
	return hash_index_add(&ids->index, hash, (uint32_t)(at / UNIT_BYTES));
}

int merge_build_ids_begin(struct merge_build_ids *ids, const struct merge *m)
{
	const struct ts_bytes *section = &m->features.payload[TS_FEAT_BUILD_ID];
	int rc = 0;

	*ids = (struct merge_build_ids){.events = &m->capture.header.events};
	for (size_t at = 0, size; !rc && at < section->len; at += size) {
		const size_t to = ids->records.len;

		size = ts_record_load_header(section->data + at).size;
		ts_bytes_put(&ids->records, section->data + at, size);
		if (size % UNIT_BYTES == 0)
			rc = enter_record(ids, to);
	}
	return rc;
}

/* The build-id of a map of a process; len 0: none. */
static struct ts_build_id id_of_map(const struct ts_events *events,
				    const struct perf_event_header *record)
{
	const struct ts_record_mmap2 *map = (const void *)record;
	const struct perf_event_header hdr = map->header;
	struct ts_build_id id = {.len = 0};
	struct ts_sample_id sid;

	if (hdr.type != PERF_RECORD_MMAP2 || !(hdr.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    hdr.size <= sizeof(*map) || map->build_id_size > TS_BUILD_ID_MAX ||
	    !memchr(map->filename, '\0', hdr.size - sizeof(*map)) ||
	    ts_decode_trailer(events, record, &sid) != TS_DECODE_OK ||
	    replay_is_flag_stray(events, record, &sid))
		return id;
	id.len = map->build_id_size;
	memcpy(id.bytes, map->build_id, id.len);
	return id;
}

static int take_record(struct merge_build_ids *ids, const struct perf_event_header *record)
{
	const struct ts_build_id id = id_of_map(ids->events, record);
	const struct ts_record_mmap2 *map = (const void *)record;
	const size_t at = ids->records.len;

	if (!id.len)
		return 0;
	ts_header_put_build_id(&ids->records, map->header.misc & PERF_RECORD_MISC_CPUMODE_MASK, &id,
			       map->filename);
	return enter_record(ids, at);
}

int merge_build_ids_take(struct merge_build_ids *ids, const void *records, size_t len)
{
	struct chunk_walk walk = {records, (const uint8_t *)records + len};
	const struct perf_event_header *hdr;
	int rc = 0;

	while (!rc && (hdr = chunk_walk_next(&walk)))
		rc = take_record(ids, hdr);
	return rc;
}

void merge_build_ids_put(struct merge_build_ids *ids, struct merge *m)
{
	struct ts_bytes *section;

	if (!ids->records.len)
		return;
	section = ts_header_feature(&m->features, TS_FEAT_BUILD_ID);
	ts_bytes_release(section);
	*section = ids->records;
	ids->records = (struct ts_bytes){0};
}

void merge_build_ids_release(struct merge_build_ids *ids)
{
	ts_bytes_release(&ids->records);
	hash_index_release(&ids->index);
}
