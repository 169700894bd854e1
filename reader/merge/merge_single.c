// SPDX-License-Identifier: Apache-2.0
/*
 * Writes one plain perf.data file of all parts: header, records without a time, all other records
 * in the order of time, features.
 *
 * FINISHED_ROUND records between them promise that no earlier record follows, so a sorting reader
 * need not hold all records. They may stand anywhere, because the order is exact.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/perf/lengthened.h"
#include "reader/merge/merge.h"
#include "reader/merge/merge_build_ids.h"
#include "reader/order/ordered.h"

#define OUT_BYTES   (1u << 20)
#define ROUND_BYTES (4u << 20) /* bytes of records between two rounds */
#define FILLER	    80	       /* bytes that ts_header_pack() writes if it gets no records */

struct single {
	struct merge *m;
	int fd;
	const char *path;
	struct ts_bytes out;  /* not written yet */
	uint64_t nr_bytes;    /* of all records so far */
	uint64_t since_round; /* bytes since the last FINISHED_ROUND */
	size_t next_table;
	struct merge_build_ids ids; /* of the records so far */
};

static int tell_write(const struct single *s, int rc, struct ts_error *err)
{
	ts_error_sys(err, -rc, "cannot write %s", s->path);
	return ts_file_hint_write(err, "");
}

static int flush_block(struct single *s, struct ts_error *err)
{
	int rc = ts_bytes_failed(&s->out) ? -ENOMEM
					  : ts_file_write_all(s->fd, s->out.data, s->out.len);

	ts_bytes_clear(&s->out);
	return rc ? tell_write(s, rc, err) : 0;
}

/* Puts whole records. */
static int put_block(struct single *s, const void *data, size_t len, struct ts_error *err)
{
	if (merge_build_ids_take(&s->ids, data, len))
		return merge_no_memory(s->m, err);
	ts_bytes_put(&s->out, data, len);
	s->nr_bytes += len;
	s->since_round += len;
	return s->out.len >= OUT_BYTES ? flush_block(s, err) : 0;
}

static int put_round(struct single *s, struct ts_error *err)
{
	const struct perf_event_header round = {.type = TS_RECORD_FINISHED_ROUND,
						.size = sizeof(round)};

	s->since_round = 0;
	s->m->nr_data++;
	return put_block(s, &round, sizeof(round), err);
}

/* Writes the names and maps of the parts that have begun by that time. */
static int put_tables(struct single *s, uint64_t time_ns, struct ts_error *err)
{
	const struct merge *m = s->m;
	int rc = 0;

	for (; !rc && s->next_table < m->nr_tables; s->next_table++) {
		const struct merge_table *t = &m->tables[s->next_table];

		if (t->time_ns > time_ns)
			break;
		s->m->nr_data += merge_count_records(&t->records);
		if (t->records.len)
			rc = put_block(s, t->records.data, t->records.len, err);
	}
	return rc;
}

static int put_mended(struct single *s, const struct perf_event_header *hdr, size_t bytes,
		      struct ts_error *err)
{
	_Alignas(8) uint8_t copy[UINT16_MAX];

	if (!ts_lengthened_is_record(hdr, s->m->layout.trailer_bytes))
		return put_block(s, hdr, bytes, err);
	memcpy(copy, hdr, bytes);
	ts_lengthened_mend(copy, s->m->layout.trailer_bytes);
	return put_block(s, copy, bytes, err);
}

static int put_record(struct single *s, const struct ordered_record *r, struct ts_error *err)
{
	size_t bytes = ts_record_load_header(r->hdr).size;
	int rc = put_tables(s, r->time_ns, err);

	if (!rc && !merge_is_sound(s->m, r->hdr)) {
		merge_leave_out(merge_part_of(s->m, r->stream));
		return 0;
	}
	if (!rc)
		rc = put_mended(s, r->hdr, bytes, err);
	if (!rc && s->since_round >= ROUND_BYTES)
		rc = put_round(s, err);
	s->m->nr_records++;
	return rc ? rc : merge_note_progress(s->m, bytes, err);
}

static int put_timed(struct single *s, struct ts_error *err)
{
	const struct ordered_window all = {.types = ORDERED_ALL, .from_ns = 1, .to_ns = UINT64_MAX};
	struct ordered *o = ordered_open(&s->m->table, &all);
	struct ordered_record record;
	int found, rc = o ? 0 : merge_no_memory(s->m, err);

	while (!rc && (found = ordered_next(o, &record)) != 0)
		rc = found < 0 ? merge_no_memory(s->m, err) : put_record(s, &record, err);
	if (!rc)
		rc = put_tables(s, UINT64_MAX, err);
	if (!rc && damage_merge(&s->m->damage, ordered_damage(o)))
		rc = merge_no_memory(s->m, err);
	ordered_close(o);
	return rc;
}

struct kept {
	const struct chunk *chunks;
	bool *marks; /* by chunk; a block of memory */
};

static bool is_kept(const struct chunk *chunk, const void *arg)
{
	const struct kept *kept = arg;

	return kept->marks[chunk - kept->chunks];
}

/* Marks the chunks that stay: those of streams by their entries, those of `data` by their part. */
static void mark_kept(const struct merge *m, bool *marks)
{
	for (size_t i = 0; i < m->table.nr; i++)
		marks[i] = merge_part_of(m, m->table.chunks[i].stream)->is_new;
	for (size_t i = 0; i < m->nr_entries; i++)
		marks[m->entries[i].chunk] =
			!m->entries[i].is_left_out && m->parts[m->entries[i].part].is_new;
}

/* Takes the other chunks out of the table. Entries are invalid afterwards. 0 or -ENOMEM. */
static int drop_left_out(struct merge *m)
{
	struct chunk_table *t = &m->table;
	struct kept kept = {t->chunks, memory_new(m->capture.memory, t->nr + 1, sizeof(bool))};

	if (!kept.marks)
		return -ENOMEM;
	mark_kept(m, kept.marks);
	chunk_table_narrow(t, is_kept, &kept);
	memory_free(kept.marks);
	return 0;
}

/* Sets the size of the records and the new offsets of the sections behind them. */
static void fix_offsets(struct ts_bytes *head, struct ts_bytes *tail, uint64_t nr_bytes)
{
	struct ts_file_header h;

	memcpy(&h, head->data, sizeof(h));
	h.data.size = nr_bytes;
	memcpy(head->data, &h, sizeof(h));
	for (size_t bit = 0, at = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		struct ts_file_section section;

		if (!(h.features[bit / 64] >> bit % 64 & 1))
			continue;
		memcpy(&section, tail->data + at, sizeof(section));
		section.offset = section.offset - FILLER + nr_bytes;
		memcpy(tail->data + at, &section, sizeof(section));
		at += sizeof(section);
	}
}

/* Packs a header without records and splits it at their place. */
static int pack_header(const struct merge *m, struct ts_bytes *head, struct ts_bytes *tail,
		       struct ts_error *err)
{
	struct ts_file_header h;
	int rc = ts_header_pack(&m->capture.header.events, NULL, 0, &m->features, head, err);

	if (rc)
		return rc;
	memcpy(&h, head->data, sizeof(h));
	ts_bytes_put(tail, head->data + h.data.offset + FILLER, head->len - h.data.offset - FILLER);
	head->len = h.data.offset;
	return ts_bytes_failed(tail) ? merge_no_memory(m, err) : 0;
}

static int put_records(struct single *s, struct ts_error *err)
{
	int rc = put_block(s, s->m->fixed.data, s->m->fixed.len, err);

	s->m->nr_data += merge_count_records(&s->m->fixed);
	if (!rc && drop_left_out(s->m))
		rc = merge_no_memory(s->m, err);
	progress_begin(s->m->capture.progress, "Merging", chunk_table_bytes(&s->m->table));
	if (!rc)
		rc = put_timed(s, err);
	return rc ? rc : put_round(s, err);
}

static int put_file(struct single *s, struct ts_bytes *head, struct ts_bytes *tail,
		    struct ts_error *err)
{
	int rc = pack_header(s->m, head, tail, err);

	if (rc)
		return rc;
	if (merge_build_ids_begin(&s->ids, s->m))
		return merge_no_memory(s->m, err);
	ts_bytes_put(&s->out, head->data, head->len);
	rc = put_records(s, err);
	if (rc)
		return rc;
	/* Again, with the build-ids: only what stands behind the records grows. */
	merge_build_ids_put(&s->ids, s->m);
	ts_bytes_clear(head);
	ts_bytes_clear(tail);
	rc = pack_header(s->m, head, tail, err);
	if (rc)
		return rc;
	fix_offsets(head, tail, s->nr_bytes);
	ts_bytes_put(&s->out, tail->data, tail->len);
	rc = flush_block(s, err);
	if (rc)
		return rc;
	rc = ts_file_write_all_at(s->fd, head->data, head->len, 0);
	return rc ? tell_write(s, rc, err) : 0;
}

int merge_single(struct merge *m, int fd, const char *path, struct ts_error *err)
{
	struct single s = {.m = m, .fd = fd, .path = path};
	struct ts_bytes head = {0}, tail = {0};
	int rc = put_file(&s, &head, &tail, err);

	ts_bytes_release(&head);
	ts_bytes_release(&tail);
	ts_bytes_release(&s.out);
	merge_build_ids_release(&s.ids);
	return rc;
}
