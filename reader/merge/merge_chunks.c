// SPDX-License-Identifier: Apache-2.0
/*
 * Chooses the chunks of the merged capture and their order.
 *
 *	order      by stream, then cut, then part, then place: records of a ring stay in order,
 *	           whatever the order of the parts on the command line
 *	twice      chunks that several parts have                             merge_same.c
 *	overlap    records that several snapshots have                        merge_overlaps.c
 *	damage     of the chunk table, that other parts make good             merge_made_good.c
 */
#include <errno.h>
#include <stdlib.h>

#include "reader/chunks/stream_walk.h"
#include "reader/merge/merge_entries.h"

/* The kernel maps this much around a page that is touched. */
#define AROUND_BYTES (64u << 10)

/* --- the entries --- */

/*
 * Reads the fields that only the header has; the index has given the others. If the header is
 * damaged, the checksum stays unknown (0), and loading the chunk notes the damage.
 */
static void enter_own(struct merge *m, struct merge_entry *e)
{
	const struct chunk *chunk = merge_chunk_of(m, e);
	struct ts_chunk header;

	e->is_ours = true;
	e->payload_bytes = chunk->bytes;
	chunk_note_mapped(&m->table, AROUND_BYTES);
	if (!stream_walk_header(&m->capture, chunk, &header))
		return;
	e->cut = header.cut;
	e->checksum = header.checksum;
	e->payload_bytes = header.payload_bytes;
}

/* A part with damage comes behind one that begins at the same time, as a sound copy does. */
static int compare_parts(const void *a, const void *b)
{
	const struct merge_part *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	if (x->has_damage != y->has_damage)
		return x->has_damage ? 1 : -1;
	return x->first_stream < y->first_stream ? -1 : 1;
}

/* Sorts parts by the lowest time of their chunks. Streams keep their numbers. */
static void order_parts(struct merge *m)
{
	struct merge_part *part = NULL;
	bool is_data = false;

	for (size_t i = 0; i < m->table.nr; i++) {
		const struct chunk *c = &m->table.chunks[i];

		if (!i || c->stream != c[-1].stream) {
			part = merge_part_of(m, c->stream);
			is_data = merge_is_data(m, c->stream);
		}
		if (!is_data && c->time_max_ns && c->time_min_ns < part->first_ns)
			part->first_ns = c->time_min_ns;
	}
	qsort(m->parts, m->nr_parts, sizeof(*m->parts), compare_parts);
}

static int list_entries(struct merge *m)
{
	uint32_t stream = UINT32_MAX, part = 0, number = 0;
	bool is_data = false;

	m->entries = memory_new(m->capture.memory, m->table.nr + 1, sizeof(*m->entries));
	if (!m->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->table.nr; i++) {
		const struct chunk *c = &m->table.chunks[i];
		struct merge_entry *e = &m->entries[m->nr_entries];

		if (c->stream != stream) {
			stream = c->stream;
			part = (uint32_t)(merge_part_of(m, stream) - m->parts);
			number = merge_number_of(m, stream);
			is_data = merge_is_data(m, stream);
		}
		if (is_data)
			continue;
		*e = (struct merge_entry){.chunk = i, .part = part, .stream = number};
		if (c->header_bytes)
			enter_own(m, e);
		m->parts[part].nr_chunks += e->is_ours || c->time_max_ns;
		m->has_foreign |= !e->is_ours;
		m->nr_entries++;
	}
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct merge_entry *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->cut != y->cut)
		return x->cut < y->cut ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* --- the whole --- */

/* Before the parts are put in order. */
static void note_damage(struct merge *m)
{
	const struct damage *d = &m->table.damage;

	for (size_t i = 0; i < damage_kept(d); i++)
		merge_part_of(m, d->items[i].stream)->has_damage = true;
}

static void judge_parts(struct merge *m)
{
	const struct damage *d = &m->table.damage;

	for (size_t i = 0; i < damage_kept(d); i++)
		merge_part_of(m, d->items[i].stream)->is_sound = false;
	for (size_t i = 0; i < m->nr_parts; i++) {
		struct merge_part *part = &m->parts[i];

		part->is_new = !i || part->nr_twice < part->nr_chunks;
		part->is_additive &= !part->nr_twice;
	}
}

int merge_choose_chunks(struct merge *m, struct ts_error *err)
{
	int rc;

	note_damage(m);
	order_parts(m);
	for (size_t i = 0; i < m->nr_parts; i++)
		m->parts[i].is_additive = true;
	rc = list_entries(m);
	if (!rc)
		qsort(m->entries, m->nr_entries, sizeof(*m->entries), compare_entries);
	if (!rc)
		rc = merge_leave_out_same(m, err);
	if (!rc)
		rc = merge_leave_out_overlaps(m, err);
	merge_withdraw_damage(m);
	judge_parts(m);
	return rc == -ENOMEM ? merge_no_memory(m, err) : rc;
}
