// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/chunks/record_sanity.h"
#include "reader/chunks/stream_walk.h"
#include "reader/runtime/memory_limit.h"

int merge_no_memory(const struct merge *m, struct ts_error *err)
{
	int rc = m->capture.memory ? memory_failed(m->capture.memory, err) : 0;

	return rc ? rc : ts_error_sys(err, ENOMEM, "cannot %s %s", m->verb, m->capture.path);
}

struct merge_part *merge_part_of(const struct merge *m, uint32_t stream)
{
	for (size_t i = 0; i < m->nr_parts; i++)
		if (stream - m->parts[i].first_stream < m->parts[i].capture.nr_streams)
			return &m->parts[i];
	return NULL;
}

bool merge_is_data(const struct merge *m, uint32_t stream)
{
	const struct merge_part *part = merge_part_of(m, stream);

	return part->first_stream == stream && part->capture.kind == CAPTURE_DIRECTORY;
}

uint32_t merge_number_of(const struct merge *m, uint32_t stream)
{
	const char *dot = strrchr(m->capture.streams[stream].path, '.');
	const struct merge_part *part = merge_part_of(m, stream);

	if (part->capture.kind == CAPTURE_FILE || !dot)
		return 0;
	return (uint32_t)(strtoul(dot + 1, NULL, 10) % MERGE_STREAMS_MAX);
}

bool merge_is_streamed(const struct merge *m, const struct perf_event_header *hdr)
{
	return ts_record_load_u32(hdr) < TS_RECORD_USER_START && range_layout_time(&m->layout, hdr);
}

bool merge_is_sound(const struct merge *m, const struct perf_event_header *hdr)
{
	bool is_unknown;

	return !record_sanity_check(&m->capture.header.events, hdr, &is_unknown);
}

void merge_leave_out(struct merge_part *part)
{
	part->is_sound = false;
	part->nr_unsound++;
}

int merge_note_progress(struct merge *m, uint64_t bytes, struct ts_error *err)
{
	if (progress_is_stopped(m->capture.progress))
		return ts_error_set(err, EINTR, "cannot %s: interrupted, and nothing was made",
				    m->verb);
	progress_add(m->capture.progress, bytes);
	return 0;
}

static int note_damage(struct merge *m, const struct chunk *chunk, const struct chunk_buffer *buf,
		       const struct ts_error *why)
{
	struct chunk_damage place = chunk_damaged(chunk, buf, why);

	merge_part_of(m, chunk->stream)->is_sound = false;
	return damage_merge(&m->damage, &(struct damage){.items = &place, .nr = 1});
}

int merge_load(struct merge *m, const struct chunk *chunk, struct chunk_buffer *buf,
	       const uint8_t **ret_records, size_t *ret_len, struct ts_chunk *ret_header,
	       struct ts_error *err)
{
	int rc = chunk_load(&m->table, chunk, buf, ret_records, ret_len, err), noted = 0;

	if (rc >= 0 && chunk->header_bytes && ret_header &&
	    !stream_walk_header(&m->capture, chunk, ret_header))
		rc = ts_error_set(err, EBADMSG, "its header is damaged");
	if (rc == -EBADMSG || rc == CHUNK_SALVAGED)
		noted = note_damage(m, chunk, buf, err);
	if (noted || rc == -ENOMEM)
		return merge_no_memory(m, err);
	if (rc == -EBADMSG)
		return MERGE_UNREADABLE;
	return rc == CHUNK_SALVAGED ? MERGE_SALVAGED : rc ? rc : MERGE_SOUND;
}

uint64_t merge_count_records(const struct ts_bytes *records)
{
	struct chunk_walk walk = {records->data, records->data + records->len};
	uint64_t nr = 0;

	while (records->len && chunk_walk_next(&walk))
		nr++;
	return nr;
}

struct merge_part *merge_first_given(const struct merge *m)
{
	return merge_part_of(m, 0);
}

bool merge_adds_to(const struct merge *m, const struct merge_part *part)
{
	for (size_t i = 0; i < m->nr_parts; i++)
		if (((m->parts[i].is_new && m->parts[i].nr_chunks) || m->parts[i].makes_good) &&
		    &m->parts[i] != part)
			return true;
	return false;
}

static bool names_part(const struct merge *m, const struct damage *d, const struct merge_part *part)
{
	for (size_t i = 0; i < damage_kept(d); i++)
		if (merge_part_of(m, d->items[i].stream) == part)
			return true;
	return d->nr > damage_kept(d); /* places beyond the kept ones are unknown */
}

bool merge_is_damaged(const struct merge *m, const struct merge_part *part)
{
	const struct ts_header *h = &part->capture.header;

	return names_part(m, &m->damage, part) || names_part(m, &m->table.damage, part) ||
	       part->has_other_data || part->nr_unsound || h->data_cut || h->nr_bad_features;
}

static void release_part(struct merge_part *part)
{
	ts_json_free(part->note);
	account_release(&part->account);
	capture_close(&part->capture);
}

void merge_close(struct merge *m)
{
	for (size_t i = 0; i < m->nr_tables; i++)
		ts_bytes_release(&m->tables[i].records);
	free(m->tables);
	ts_bytes_release(&m->fixed);
	ts_bytes_release(&m->timed);
	ts_bytes_release(&m->streams);
	ts_feature_set_release(&m->features);
	memory_free(m->entries);
	damage_release(&m->damage);
	if (m->table.capture)
		chunk_table_close(&m->table);
	for (size_t i = 0; i < m->nr_parts; i++)
		release_part(&m->parts[i]);
	free(m->parts);
	ts_events_release(&m->capture.header.events);
	free(m->capture.streams); /* the parts own the contents */
	free(m->capture.path);
	*m = (struct merge){0};
}
