// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "common/perf/lengthened.h"
#include "common/perf/record_type.h"
#include "reader/check/relaid_stream.h"
#include "reader/check/repair.h"
#include "reader/chunks/chunk_load.h"
#include "reader/chunks/record_sanity.h"
#include "reader/chunks/stream_walk.h"
#include "reader/order/replay.h"

/* The sound records of a chunk, for chunks that cannot be copied unchanged. */
struct sound {
	struct ts_bytes records;
	uint64_t nr, nr_left_out, nr_mended;
};

/* Records of a pipe whose contents are in the header of a file. */
static bool is_of_pipe(uint32_t type)
{
	return type == TS_RECORD_HEADER_ATTR || type == TS_RECORD_FEATURE ||
	       type == TS_RECORD_TRACING_DATA || type == TS_RECORD_BUILD_ID;
}

/*
 * Do both tstream and perf read the record? perf 6.1 refuses a file that has one unknown type or
 * id.
 */
static bool is_sound(const struct ts_events *events, const struct perf_event_header *hdr)
{
	uint32_t type = ts_record_load_u32(hdr);
	bool is_unknown;

	return ts_record_type_name(type) && type != TS_RECORD_COMPRESSED &&
	       type != TS_RECORD_COMPRESSED2 && !record_sanity_check(events, hdr, &is_unknown) &&
	       !is_unknown;
}

/*
 * Appends a record, mended for perf 6.1: it crashes on a flag that the kernel set by mistake, and
 * stops at a record that the kernel lengthened.
 */
static void take_record(const struct repair *r, const struct perf_event_header *hdr, size_t bytes,
			struct sound *s)
{
	const struct ts_events *events = &r->check->capture.header.events;
	struct perf_event_header h = ts_record_load_header(hdr);
	struct ts_sample_id sid;

	if (h.type == PERF_RECORD_MMAP2 && ts_decode_trailer(events, hdr, &sid) == TS_DECODE_OK &&
	    replay_is_flag_stray(events, hdr, &sid))
		h.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	ts_bytes_put(&s->records, &h, sizeof(h));
	ts_bytes_put(&s->records, (const uint8_t *)hdr + sizeof(h), bytes - sizeof(h));
	if (!ts_bytes_failed(&s->records))
		s->nr_mended += ts_lengthened_mend(s->records.data + s->records.len - bytes,
						   r->check->layout.trailer_bytes);
	s->nr++;
}

/* Appends the sound records of `records`. */
static void take_sound(const struct repair *r, const uint8_t *records, size_t len, struct sound *s)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;

	while ((hdr = chunk_walk_next(&walk))) {
		if (r->check->capture.header.is_pipe && is_of_pipe(ts_record_load_u32(hdr)))
			continue;
		if (!is_sound(&r->check->capture.header.events, hdr)) {
			s->nr_left_out++;
			continue;
		}
		take_record(r, hdr, (size_t)(walk.at - (const uint8_t *)hdr), s);
	}
}

static int no_memory(const struct repair *r, struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot repair %s", r->check->capture.path);
}

/* Adds the chunk to the progress. Returns -EINTR if the progress is stopped. */
static int note_progress(const struct repair *r, const struct chunk *chunk, struct ts_error *err)
{
	struct progress *progress = r->check->capture.progress;

	if (progress_is_stopped(progress))
		return ts_error_set(err, EINTR,
				    "cannot repair %s: interrupted, and no capture was made",
				    r->check->capture.path);
	progress_add(progress, chunk->bytes);
	return 0;
}

static int cannot_write(const struct repair *r, int code, struct ts_error *err)
{
	return ts_error_sys(err, code, "cannot write the repaired capture %s", r->dir.path);
}

/* --- others' streams --- */

static int write_foreign(struct repair *r, struct ts_stream_file *file, const struct sound *s,
			 struct ts_error *err)
{
	int rc;

	r->nr_records += s->nr;
	if (ts_bytes_failed(&s->records))
		return no_memory(r, err);
	if (!file) {
		ts_bytes_put(&r->records, s->records.data, s->records.len);
		return 0;
	}
	rc = ts_file_write_all(file->fd, s->records.data, s->records.len);
	return rc ? cannot_write(r, -rc, err) : 0;
}

int repair_foreign_stream(struct repair *r, uint32_t stream, unsigned int number,
			  struct ts_error *err)
{
	const struct chunk_table *t = &r->check->table;
	bool is_file = number != UINT32_MAX;
	struct ts_stream_file file = {.fd = -1};
	struct chunk_buffer buf = {0};
	struct sound s = {0};
	int rc = 0;

	if (is_file)
		rc = ts_dir_create_stream(&r->dir, number, TS_STREAM_BUFFERED, &file, err);
	for (size_t i = chunk_table_find(t, stream, 0);
	     !rc && i < t->nr && t->chunks[i].stream == stream; i++) {
		const uint8_t *records;
		size_t len;

		rc = note_progress(r, &t->chunks[i], err);
		if (rc)
			break;
		rc = chunk_load(t, &t->chunks[i], &buf, &records, &len, err);
		if (rc == -EBADMSG)
			rc = 0;
		else if (!rc) {
			ts_bytes_clear(&s.records);
			s.nr = s.nr_left_out = s.nr_mended = 0;
			take_sound(r, records, len, &s);
			rc = write_foreign(r, is_file ? &file : NULL, &s, err);
		}
	}
	if (is_file && file.fd >= 0)
		ts_stream_file_close(&file);
	ts_bytes_release(&s.records);
	chunk_buffer_release(&buf);
	return rc;
}

/* --- our streams --- */

/* Writes a chunk. `c` is its old header with the changed fields. */
static int write_chunk(struct repair *r, struct relaid_stream *l, struct ts_chunk *c,
		       const uint8_t *payload, struct ts_error *err)
{
	int rc;

	if (c->kind == TS_RING_SIDEBAND)
		c->flags |= TS_CHUNK_MENDED;
	rc = relaid_stream_add(l, c, payload, err);
	if (!rc)
		r->nr_records += c->nr_records;
	return rc;
}

/*
 * Writes the sound records of a chunk, plain, because the chunk is incomplete, damaged or mended.
 */
static int write_sound(struct repair *r, struct relaid_stream *l, struct ts_chunk *c,
		       const struct sound *s, struct ts_error *err)
{
	struct chunk times = {0};

	if (ts_bytes_failed(&s->records))
		return no_memory(r, err);
	if (!s->nr)
		return 0;
	range_read(&r->check->layout, s->records.data, s->records.len, &times, NULL);
	c->flags &= ~(uint32_t)TS_CHUNK_COMPRESSED;
	c->payload_bytes = c->raw_bytes = s->records.len;
	c->nr_records = s->nr;
	c->time_min_ns = times.time_max_ns ? times.time_min_ns : 0;
	c->time_max_ns = times.time_max_ns;
	return write_chunk(r, l, c, s->records.data, err);
}

static int repair_chunk(struct repair *r, struct relaid_stream *l, const struct chunk *chunk,
			struct chunk_buffer *buf, struct ts_error *err)
{
	const struct capture_stream *file = &r->check->capture.streams[chunk->stream];
	struct sound s = {0};
	const uint8_t *records;
	struct ts_chunk c;
	size_t len;
	int rc = chunk_load(&r->check->table, chunk, buf, &records, &len, err);
	bool is_damaged = rc == CHUNK_SALVAGED;

	if (rc == -EBADMSG || (rc >= 0 && !stream_walk_header(&r->check->capture, chunk, &c)))
		return 0;
	if (rc < 0)
		return rc;
	take_sound(r, records, len, &s);
	if (is_damaged || s.nr_left_out || s.nr_mended || s.nr != c.nr_records ||
	    chunk->flags & CHUNK_TORN || c.payload_bytes != chunk->bytes)
		rc = write_sound(r, l, &c, &s, err);
	else
		rc = write_chunk(r, l, &c, file->map.data + chunk->offset, err);
	ts_bytes_release(&s.records);
	return rc;
}

int repair_own_stream(struct repair *r, uint32_t stream, unsigned int number, struct ts_error *err)
{
	const struct chunk_table *t = &r->check->table;
	struct chunk_buffer buf = {0};
	struct relaid_stream l;
	int rc = relaid_stream_open(&l, &r->dir, number, err);

	for (size_t i = chunk_table_find(t, stream, 0);
	     !rc && i < t->nr && t->chunks[i].stream == stream; i++) {
		rc = note_progress(r, &t->chunks[i], err);
		if (!rc)
			rc = repair_chunk(r, &l, &t->chunks[i], &buf, err);
	}
	if (!rc)
		rc = relaid_stream_finish(&l, err);
	relaid_stream_close(&l);
	chunk_buffer_release(&buf);
	return rc;
}
