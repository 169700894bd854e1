// SPDX-License-Identifier: Apache-2.0
/*
 * Collects the records before the streams. Those of the first part are all taken; of a later part:
 *
 *	ids, units, maps of CPUs; modules, cgroups	those without an equal one so far
 *	tasks, their maps, BPF programs			none if it begins at the cut where a sound
 *							earlier part ends, whose side-band has them;
 *							else records with the time of its beginning
 *	losses						added
 *	records with a time				as they are
 *
 * Records without a time would be the state at the beginning of the merged capture, which the state
 * of a later part is not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/lengthened.h"
#include "common/perf/record_layout.h"
#include "common/perf/record_type.h"
#include "reader/merge/merge.h"
#include "reader/tasks/hash_index.h"

/* Types that, without a time, only describe the state at the beginning of the part. */
#define STATE_TYPES                                                                                \
	(1ull << PERF_RECORD_MMAP | 1ull << PERF_RECORD_MMAP2 | 1ull << PERF_RECORD_COMM |         \
	 1ull << PERF_RECORD_FORK | 1ull << PERF_RECORD_EXIT | 1ull << PERF_RECORD_NAMESPACES |    \
	 1ull << PERF_RECORD_KSYMBOL | 1ull << PERF_RECORD_BPF_EVENT |                             \
	 1ull << PERF_RECORD_TEXT_POKE)

struct gather {
	struct merge *m;
	struct hash_index index; /* of records in m->fixed, by offset / 8 */
	struct hash_index ids;	 /* of build-ids among the features, by offset */
	struct merge_part *part;
	bool is_first;
	struct merge_table *table; /* the state at the beginning of the part */
};

/* --- what is known byte by byte --- */

static bool is_known(const struct gather *g, uint32_t hash, const void *record, size_t bytes)
{
	struct hash_walk walk = hash_walk(&g->index, hash);
	const struct ts_bytes *fixed = &g->m->fixed;
	uint32_t at;

	while (hash_walk_next(&g->index, &walk, &at))
		if (8 * (size_t)at + bytes <= fixed->len &&
		    !memcmp(fixed->data + 8 * (size_t)at, record, bytes))
			return true;
	return false;
}

static int put_once(struct gather *g, const void *record, size_t bytes)
{
	uint32_t hash = hash_index_hash(&g->index, record, bytes);
	size_t at = g->m->fixed.len / 8;

	if (is_known(g, hash, record, bytes) || at >= UINT32_MAX)
		return 0;
	ts_bytes_put(&g->m->fixed, record, bytes);
	return hash_index_add(&g->index, hash, (uint32_t)at);
}

/* --- the time of a table --- */

/* The distance of the time from the end of a record that was made without an id. */
static size_t time_tail(const struct ts_events *events)
{
	uint64_t type = events->items[0].attr.sample_type;
	size_t words = 1;

	words += (type & PERF_SAMPLE_ID) != 0;
	words += (type & PERF_SAMPLE_STREAM_ID) != 0;
	words += (type & PERF_SAMPLE_CPU) != 0;
	words += (type & PERF_SAMPLE_IDENTIFIER) != 0;
	return 8 * words;
}

/*
 * Appends a copy of the record with the time of the table. A record without room for a time is left
 * out.
 */
static void put_at_time(struct gather *g, const struct perf_event_header *hdr, size_t bytes)
{
	struct ts_bytes *out = &g->table->records;
	size_t tail = time_tail(&g->m->capture.header.events), at = out->len;
	uint32_t type = ts_record_load_u32(hdr);
	bool has_own = type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT;

	if (bytes < ts_record_type_fixed_bytes(type) + tail)
		return;
	ts_bytes_put(out, hdr, bytes);
	if (ts_bytes_failed(out))
		return;
	memcpy(out->data + at + bytes - tail, &g->table->time_ns, sizeof(uint64_t));
	if (has_own && bytes >= sizeof(struct ts_record_task) + tail)
		((struct ts_record_task *)(out->data + at))->time = g->table->time_ns;
	if (range_layout_time(&g->m->layout, (const void *)(out->data + at)) != g->table->time_ns)
		out->len = at;
}

/* --- one record --- */

/* Is it one of the tools' types that a merged capture needs? */
static bool is_wanted_of_tool(uint32_t type)
{
	return type == TS_RECORD_ID_INDEX || type == TS_RECORD_THREAD_MAP ||
	       type == TS_RECORD_CPU_MAP || type == TS_RECORD_EVENT_UPDATE ||
	       type == TS_RECORD_TIME_CONV || type == TS_RECORD_FINISHED_INIT ||
	       type == TS_RECORD_BPF_METADATA;
}

/* Is it a map of the kernel or a module, or a cgroup? No side-band event reports new ones. */
static bool is_of_machine(const struct perf_event_header *hdr, size_t bytes)
{
	const struct ts_record_thread *thread = (const void *)hdr;
	uint32_t type = thread->header.type;

	if (type == PERF_RECORD_CGROUP)
		return true;
	return (type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2) &&
	       bytes >= sizeof(*thread) && thread->pid == UINT32_MAX;
}

static int put_untimed(struct gather *g, const struct perf_event_header *hdr, size_t bytes)
{
	uint32_t type = ts_record_load_u32(hdr);

	if (is_of_machine(hdr, bytes))
		return put_once(g, hdr, bytes);
	if (type < 64 && STATE_TYPES >> type & 1 && !g->is_first) {
		if (!g->part->goes_on)
			put_at_time(g, hdr, bytes);
		return 0;
	}
	ts_bytes_put(&g->m->fixed, hdr, bytes);
	return 0;
}

static int put_record(struct gather *g, const struct perf_event_header *hdr, size_t bytes,
		      bool is_data)
{
	bool is_of_tool = ts_record_load_u32(hdr) >= TS_RECORD_USER_START;
	bool is_streamed = merge_is_streamed(g->m, hdr);

	if (is_of_tool ? !is_wanted_of_tool(ts_record_load_u32(hdr)) : is_streamed && !is_data)
		return 0;
	if (bytes % 8 || !merge_is_sound(g->m, hdr)) {
		merge_leave_out(g->part);
		return 0;
	}
	if (is_of_tool)
		return put_once(g, hdr, bytes);
	if (!is_streamed)
		return put_untimed(g, hdr, bytes);
	ts_bytes_put(&g->m->timed, hdr, bytes);
	if (!ts_bytes_failed(&g->m->timed))
		ts_lengthened_mend(g->m->timed.data + g->m->timed.len - bytes,
				   g->m->layout.trailer_bytes);
	return 0;
}

/* --- one part --- */

/*
 * May the chunk have records for `data`? Our chunks hold only records of the kernel, which all have
 * a time.
 */
static bool may_have_any(const struct gather *g, const struct chunk *c)
{
	if (c->header_bytes)
		return false;
	return merge_is_data(g->m, c->stream) || c->flags & (CHUNK_UNTIMED | CHUNK_USER);
}

static int gather_chunk(struct gather *g, const struct chunk *c, struct chunk_buffer *buf,
			struct ts_error *err)
{
	bool is_data = merge_is_data(g->m, c->stream);
	const struct perf_event_header *hdr;
	const uint8_t *records;
	struct chunk_walk walk;
	size_t len;
	int rc = merge_load(g->m, c, buf, &records, &len, NULL, err);

	if (rc <= 0)
		return rc;
	walk = (struct chunk_walk){records, records + len};
	rc = 0;
	while (!rc && (hdr = chunk_walk_next(&walk)))
		rc = put_record(g, hdr, (size_t)(walk.at - (const uint8_t *)hdr), is_data);
	return rc ? merge_no_memory(g->m, err) : 0;
}

static int gather_part(struct gather *g, struct ts_error *err)
{
	const struct chunk_table *t = &g->m->table;
	uint32_t first = g->part->first_stream;
	struct chunk_buffer buf = {0};
	int rc = 0;

	/* chunks are in the order of streams, and the streams of a part are neighbours */
	for (size_t i = chunk_table_find(t, first, 0); !rc && i < t->nr; i++) {
		if (t->chunks[i].stream - first >= g->part->capture.nr_streams)
			break;
		if (may_have_any(g, &t->chunks[i]))
			rc = gather_chunk(g, &t->chunks[i], &buf, err);
	}
	chunk_buffer_release(&buf);
	return rc;
}

/* The time of the cut before or behind a part; 0: unknown. */
static uint64_t cut_of(const struct merge_part *part, const char *key)
{
	return ts_json_number(ts_json_member(part->note, "rotation", TS_JSON_OBJECT), key);
}

/* Does an earlier sound part end at the cut at which this one begins? */
static bool goes_on(const struct merge *m, size_t part)
{
	uint64_t begin = cut_of(&m->parts[part], "begin_ns");

	for (size_t i = 0; begin && i < part; i++)
		if (m->parts[i].is_new && m->parts[i].is_sound &&
		    cut_of(&m->parts[i], "end_ns") == begin)
			return true;
	return false;
}

/* --- features --- */

/* Is the feature made anew, or about the form of the old file? */
static bool is_made(unsigned int bit)
{
	return bit == TS_FEAT_DIR_FORMAT || bit == TS_FEAT_COMPRESSED ||
	       bit == TS_FEAT_EVENT_DESC || bit == TS_FEAT_BUILD_ID || bit == TS_FEAT_SAMPLE_TIME;
}

/* Damaged ones are counted when the part is opened. */
static void copy_features(struct merge *m, const struct merge_part *part)
{
	const struct ts_header *h = &part->capture.header;

	for (unsigned int bit = 1; bit < TS_PERF_FEATURE_BITS; bit++) {
		if (!is_made(bit) && ts_header_feature_is_sound(h, bit))
			ts_bytes_put(ts_header_feature(&m->features, (enum ts_feature)bit),
				     h->features[bit].data, h->features[bit].size);
	}
}

static bool has_build_id(const struct gather *g, const struct ts_bytes *ids, uint32_t hash,
			 const uint8_t *entry, size_t bytes)
{
	struct hash_walk walk = hash_walk(&g->ids, hash);
	uint32_t at;

	while (hash_walk_next(&g->ids, &walk, &at))
		if (ts_record_load_header(ids->data + at).size == bytes &&
		    !memcmp(ids->data + at, entry, bytes))
			return true;
	return false;
}

static int add_build_id(struct gather *g, const uint8_t *entry, size_t bytes)
{
	struct ts_bytes *ids = ts_header_feature(&g->m->features, TS_FEAT_BUILD_ID);
	uint32_t hash = hash_index_hash(&g->ids, entry, bytes);
	size_t at = ids->len;

	if (has_build_id(g, ids, hash, entry, bytes) || at >= UINT32_MAX)
		return 0;
	ts_bytes_put(ids, entry, bytes);
	return ts_bytes_failed(ids) ? 0 : hash_index_add(&g->ids, hash, (uint32_t)at);
}

static int add_build_ids(struct gather *g)
{
	const struct ts_feature_section *s = &g->part->capture.header.features[TS_FEAT_BUILD_ID];
	size_t at = 0;
	int rc = 0;

	while (!rc && s->data && s->size - at >= sizeof(struct perf_event_header)) {
		size_t size = ts_record_load_header(s->data + at).size;

		if (size < sizeof(struct perf_event_header) || size > s->size - at)
			break;
		rc = add_build_id(g, s->data + at, size);
		at += size;
	}
	return rc;
}

/* Writes the times of the first and last sample of all parts, if each part has its own. */
static void put_sample_time(struct merge *m)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < m->nr_parts; i++) {
		struct ts_cursor c =
			ts_header_feature_cursor(&m->parts[i].capture.header, TS_FEAT_SAMPLE_TIME);
		uint64_t from, to;

		if (!m->parts[i].is_new)
			continue;
		if (!ts_cursor_u64(&c, &from) || !ts_cursor_u64(&c, &to))
			return;
		if (!to) /* no samples */
			continue;
		first = from < first ? from : first;
		last = to > last ? to : last;
	}
	ts_bytes_u64(ts_header_feature(&m->features, TS_FEAT_SAMPLE_TIME), last ? first : 0);
	ts_bytes_u64(ts_header_feature(&m->features, TS_FEAT_SAMPLE_TIME), last);
}

static bool features_failed(const struct merge *m)
{
	for (size_t i = 0; i < TS_PERF_FEATURE_BITS; i++)
		if (ts_bytes_failed(&m->features.payload[i]))
			return true;
	return false;
}

/* --- the whole --- */

int merge_gather_data(struct merge *m, struct ts_error *err)
{
	struct gather g = {.m = m};
	int rc = 0;

	m->tables = calloc(m->nr_parts, sizeof(*m->tables));
	if (!m->tables)
		return merge_no_memory(m, err);
	copy_features(m, &m->parts[0]);
	for (size_t i = 0; !rc && i < m->nr_parts; i++) {
		g.part = &m->parts[i];
		if (!g.part->is_new)
			continue;
		g.is_first = !i;
		g.part->goes_on = goes_on(m, i);
		g.table = &m->tables[m->nr_tables++];
		g.table->time_ns = g.part->first_ns == UINT64_MAX ? 0 : g.part->first_ns - 1;
		rc = add_build_ids(&g) ? merge_no_memory(m, err) : gather_part(&g, err);
		if (ts_bytes_failed(&g.table->records))
			rc = merge_no_memory(m, err);
	}
	put_sample_time(m);
	hash_index_release(&g.index);
	hash_index_release(&g.ids);
	if (!rc && (ts_bytes_failed(&m->fixed) || ts_bytes_failed(&m->timed) || features_failed(m)))
		rc = merge_no_memory(m, err);
	return rc;
}
