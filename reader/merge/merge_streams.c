// SPDX-License-Identifier: Apache-2.0
/*
 * Writes the merged directory. Chunks of ours are copied as they are, even compressed. Records of
 * others are written plain, one part behind the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/perf/lengthened.h"
#include "reader/check/relaid_stream.h"
#include "reader/chunks/stream_walk.h"
#include "reader/merge/merge.h"

struct target { /* the data.N that is being written */
	struct merge *m;
	struct relaid_stream laid;
	struct chunk_buffer buf;
	struct ts_bytes records; /* records of one chunk: of others, or mended */
	uint64_t bytes;
};

static const struct chunk *chunk_of(const struct merge *m, const struct merge_entry *e)
{
	return &m->table.chunks[e->chunk];
}

/* --- chunks of ours --- */

/* Marks a side-band chunk as mended: it has no lengthened records, or they have been mended. */
static void set_mended(struct ts_chunk *c)
{
	if (c->kind == TS_RING_SIDEBAND)
		c->flags |= TS_CHUNK_MENDED;
}

/*
 * Writes the records of a chunk plain, and mends records that the kernel lengthened. Needed if the
 * chunk is torn, if it was trimmed, or if it has such records.
 */
static int write_plain(struct target *t, struct ts_chunk *c, const uint8_t *records, size_t len,
		       struct ts_error *err)
{
	struct chunk now = {0};

	len = range_read(&t->m->layout, records, len, &now, NULL);
	if (!len)
		return 0;
	ts_bytes_clear(&t->records);
	ts_bytes_put(&t->records, records, len);
	if (ts_bytes_failed(&t->records))
		return merge_no_memory(t->m, err);
	ts_lengthened_mend_run(t->records.data, len, t->m->layout.trailer_bytes);
	set_mended(c);
	c->flags &= ~(uint32_t)TS_CHUNK_COMPRESSED;
	c->payload_bytes = c->raw_bytes = len;
	c->nr_records = now.nr_records;
	c->time_min_ns = now.time_max_ns ? now.time_min_ns : 0;
	c->time_max_ns = now.time_max_ns;
	t->m->nr_records += c->nr_records;
	return relaid_stream_add(&t->laid, c, t->records.data, err);
}

static int copy_own(struct target *t, const struct merge_entry *e, struct ts_error *err)
{
	const struct chunk *chunk = chunk_of(t->m, e);
	const struct capture_stream *s = &t->m->capture.streams[chunk->stream];
	const uint8_t *records;
	struct ts_chunk c;
	size_t len;
	int rc;

	if (!e->is_trimmed && !(chunk->flags & CHUNK_LENGTHENED) &&
	    chunk_is_intact(&t->m->table, chunk) && stream_walk_header(&t->m->capture, chunk, &c) &&
	    c.payload_bytes == chunk->bytes) {
		t->m->nr_records += c.nr_records;
		c.cut = e->cut;
		set_mended(&c);
		return relaid_stream_add(&t->laid, &c, s->map.data + chunk->offset, err);
	}
	rc = merge_load(t->m, chunk, &t->buf, &records, &len, &c, err);
	c.cut = e->cut;
	return rc <= 0 ? rc : write_plain(t, &c, records, len, err);
}

/* --- records of others --- */

static int write_foreign(struct target *t, const struct merge_entry *e, struct ts_error *err)
{
	struct merge_part *part = &t->m->parts[e->part];
	const struct perf_event_header *hdr;
	const uint8_t *records;
	struct chunk_walk walk;
	size_t len;
	int rc = merge_load(t->m, chunk_of(t->m, e), &t->buf, &records, &len, NULL, err);

	if (rc <= 0)
		return rc;
	ts_bytes_clear(&t->records);
	walk = (struct chunk_walk){records, records + len};
	while ((hdr = chunk_walk_next(&walk))) {
		if (!merge_is_streamed(t->m, hdr))
			continue;
		if (!merge_is_sound(t->m, hdr)) {
			merge_leave_out(part);
			continue;
		}
		ts_bytes_put(&t->records, hdr, (size_t)(walk.at - (const uint8_t *)hdr));
		t->m->nr_records++;
	}
	if (ts_bytes_failed(&t->records))
		return merge_no_memory(t->m, err);
	ts_lengthened_mend_run(t->records.data, t->records.len, t->m->layout.trailer_bytes);
	t->bytes += t->records.len;
	rc = ts_file_write_all(t->laid.file.fd, t->records.data, t->records.len);
	return rc ? ts_error_sys(err, -rc, "cannot write the capture %s", t->laid.path) : 0;
}

/* --- one stream --- */

/* Refuses chunks of ours and records of others in one stream. */
static int refuse_mixture(const struct merge *m, struct ts_error *err)
{
	ts_error_set(
		err, EINVAL,
		"cannot merge %s into a directory: some parts consist of chunks, and others do not",
		m->capture.path);
	return ts_error_hint(err, "give --single to make one file of them");
}

static int put_entry(struct target *t, const struct merge_entry *e, bool is_ours,
		     struct ts_error *err)
{
	int rc = merge_note_progress(t->m, chunk_of(t->m, e)->bytes, err);

	if (rc || e->is_left_out)
		return rc;
	if (e->is_ours != is_ours)
		return refuse_mixture(t->m, err);
	return is_ours ? copy_own(t, e, err) : write_foreign(t, e, err);
}

/* A stream of ours has a footer, even without chunks. */
static void begin_without_chunks(struct target *t)
{
	const struct merge_part *part = &t->m->parts[0];

	if (t->laid.has_uuid || t->bytes || !part->has_uuid)
		return;
	ts_stream_init(&t->laid.stream, part->uuid, 0, t->laid.file.align);
	t->laid.has_uuid = true;
}

static int finish_target(struct target *t, struct ts_error *err)
{
	int rc;

	begin_without_chunks(t);
	rc = relaid_stream_finish(&t->laid, err);
	if (!rc && t->laid.has_uuid)
		t->bytes = t->laid.stream.next_offset;
	if (!rc && fsync(t->laid.file.fd))
		rc = ts_error_sys(err, errno, "cannot sync the capture %s to the disk",
				  t->laid.path);
	return rc;
}

/* Writes data.`number` from its entries. */
static int put_stream(struct merge *m, struct ts_dir *dir, uint32_t number,
		      const struct merge_entry *e, size_t nr, struct ts_error *err)
{
	struct target t = {.m = m};
	int rc = relaid_stream_open(&t.laid, dir, number, err);

	for (size_t i = 0; !rc && i < nr; i++)
		rc = put_entry(&t, &e[i], e->is_ours, err);
	if (!rc)
		rc = finish_target(&t, err);
	relaid_stream_close(&t.laid);
	chunk_buffer_release(&t.buf);
	ts_bytes_release(&t.records);
	return rc ? rc : merge_note_stream(m, number, t.bytes, err);
}

/* Lists the stream numbers of the parts. The first one is always listed, because perf needs it. */
bool *merge_list_streams(const struct merge *m)
{
	bool *has = calloc(MERGE_STREAMS_MAX, sizeof(*has));

	for (size_t i = 0; has && i < m->nr_parts; i++) {
		const struct merge_part *part = &m->parts[i];

		for (uint32_t s = 1; part->is_new && s < part->capture.nr_streams; s++)
			has[merge_number_of(m, part->first_stream + s)] = true;
	}
	if (has)
		has[0] = true;
	return has;
}

static int put_streams(struct merge *m, struct ts_dir *dir, struct ts_error *err)
{
	bool *has = merge_list_streams(m);
	size_t first = 0, end;
	int rc = has ? 0 : merge_no_memory(m, err);

	progress_begin(m->capture.progress, "Merging", chunk_table_bytes(&m->table));
	for (uint32_t number = 0; !rc && number < MERGE_STREAMS_MAX; number++, first = end) {
		for (end = first; end < m->nr_entries; end++)
			if (m->entries[end].stream != number)
				break;
		if (has[number] || end > first)
			rc = put_stream(m, dir, number, &m->entries[first], end - first, err);
	}
	free(has);
	return rc;
}

/* --- the file data --- */

static bool has_compressed(const struct merge *m)
{
	for (size_t i = 0; i < m->nr_entries; i++)
		if (m->entries[i].is_ours && chunk_of(m, &m->entries[i])->flags & CHUNK_COMPRESSED)
			return true;
	return false;
}

/* Adds DIR_FORMAT, and COMPRESSED if a part has it. */
static void put_form(struct merge *m)
{
	ts_bytes_u64(ts_header_feature(&m->features, TS_FEAT_DIR_FORMAT), 1);
	for (size_t i = 0; has_compressed(m) && i < m->nr_parts; i++) {
		const struct ts_feature_section *s =
			&m->parts[i].capture.header.features[TS_FEAT_COMPRESSED];

		if (!s->data)
			continue;
		ts_bytes_put(ts_header_feature(&m->features, TS_FEAT_COMPRESSED), s->data, s->size);
		return;
	}
}

int merge_put_data(struct merge *m, struct ts_dir *dir, struct ts_json *note, struct ts_error *err)
{
	struct ts_bytes records = {0}, file = {0};
	int rc;

	ts_bytes_put(&records, m->fixed.data, m->fixed.len);
	ts_bytes_put(&records, m->timed.data, m->timed.len);
	for (size_t i = 0; i < m->nr_tables; i++)
		ts_bytes_put(&records, m->tables[i].records.data, m->tables[i].records.len);
	rc = ts_bytes_failed(&records) ? merge_no_memory(m, err)
				       : ts_header_pack(&m->capture.header.events, records.data,
							records.len, &m->features, &file, err);
	if (!rc)
		rc = ts_dir_replace(dir, TS_DIR_DATA, file.data, file.len, err);
	if (!rc)
		merge_note_data(note, file.data, file.len);
	m->nr_data = merge_count_records(&records);
	ts_bytes_release(&records);
	ts_bytes_release(&file);
	return rc;
}

int merge_put_note(struct merge *m, struct ts_dir *dir, struct ts_json **note, struct ts_error *err)
{
	struct ts_bytes text = {0};
	int rc = *note ? merge_note_end(m, *note, err) : 0;

	if (!rc)
		rc = merge_note_damage(m, note, err);
	if (rc || !*note)
		return rc;
	if (ts_json_print(*note, &text))
		rc = merge_no_memory(m, err);
	if (!rc)
		rc = ts_dir_replace(dir, TS_DIR_INFO, text.data, text.len, err);
	ts_bytes_release(&text);
	return rc;
}

int merge_directory(struct merge *m, struct ts_dir *dir, struct ts_error *err)
{
	struct ts_json *note;
	int rc;

	if (merge_note_new(m, &note))
		return merge_no_memory(m, err);
	dir->syncs = true;
	/*
	 * first: a killed merge then leaves a capture beside OUT, which the next merge may remove
	 */
	put_form(m);
	rc = merge_put_data(m, dir, note, err);
	if (!rc)
		rc = put_streams(m, dir, err);
	if (!rc)
		rc = merge_put_note(m, dir, &note, err);
	ts_json_free(note);
	return rc;
}
