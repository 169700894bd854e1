// SPDX-License-Identifier: Apache-2.0
/*
 * Withdraws damage of the chunk table, and of missing streams, that another part makes good: the
 * part is a copy of the same capture, and its bytes are there at the same place.
 *
 *	data.3 of A   p   damage    q        p and q have the same headers at the same offsets in
 *	data.3 of B   p   chunks    q        both; B has no damage between them
 *
 * Behind the last chunk of a stream stands no q. There, and for streams that are missing or cut
 * short, the parts must have the same `data` and the same tstream.json. A capture that was made of
 * a damaged one is no copy of it: its tstream.json has the damage.
 *
 * Damage inside of a chunk is no matter of this file: merge_same.c keeps the sound chunk.
 */
#include <string.h>

#include "reader/capture/capture_streams.h"
#include "reader/merge/merge_entries.h"

/* A stretch of a stream. `stream` is its index in the table. */
struct stretch {
	uint32_t stream;
	uint64_t from, to;
};

/* --- chunks by their place --- */

static uint64_t begin_of(const struct chunk *c)
{
	return c->offset - c->header_bytes;
}

static const struct chunk *chunk_at(const struct chunk_table *t, size_t i, uint32_t stream)
{
	return i < t->nr && t->chunks[i].stream == stream ? &t->chunks[i] : NULL;
}

/* Does the chunk stand in the stream `in`, too, with the same header at the same place? */
static bool is_in(const struct merge *m, const struct chunk *c, uint32_t in)
{
	const struct map *of_c = &m->capture.streams[c->stream].map;
	const struct map *other = &m->capture.streams[in].map;

	return c->header_bytes && c->offset <= other->len &&
	       !memcmp(of_c->data + begin_of(c), other->data + begin_of(c), c->header_bytes);
}

/* --- parts --- */

/* The index in the table of data.`number` of a part; UINT32_MAX: it has none. */
static uint32_t stream_of(const struct merge *m, const struct merge_part *part, uint32_t number)
{
	uint32_t low = part->first_stream + 1;
	uint32_t end = part->first_stream + (uint32_t)part->capture.nr_streams, high = end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (merge_number_of(m, middle) < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && merge_number_of(m, low) == number ? low : UINT32_MAX;
}

/* Both may be without tstream.json: their recorder was killed. */
static bool is_copy(const struct merge_part *a, const struct merge_part *b)
{
	return a->note_checksum == b->note_checksum && a->data_checksum == b->data_checksum &&
	       a->capture.streams[0].map.len == b->capture.streams[0].map.len;
}

/* Has the part the whole stream of the account? */
static bool has_whole(const struct merge_part *part, const struct account_stream *s)
{
	uint64_t missing;

	return account_check(s, &part->capture, &missing) == ACCOUNT_SOUND;
}

/* Is the stream of the table whole? */
static bool is_stream_whole(const struct merge *m, const struct merge_part *part, uint32_t stream)
{
	const char *name = capture_streams_name(&m->capture.streams[stream]);

	for (size_t i = 0; i < part->account.nr_streams; i++)
		if (!strcmp(part->account.streams[i].name, name))
			return has_whole(part, &part->account.streams[i]);
	return false;
}

static bool has_damage_in(const struct damage *d, const struct stretch *s)
{
	for (size_t i = 0; i < damage_kept(d); i++)
		if (d->items[i].stream == s->stream && d->items[i].offset < s->to &&
		    d->items[i].offset + d->items[i].bytes > s->from)
			return true;
	return d->nr > damage_kept(d);
}

/* --- one place --- */

/*
 * For a place without a chunk behind it: the other stream is as long, or whole, or has the same bytes
 * there.
 */
static bool is_end_made_good_by(const struct merge *m, const struct stretch *place,
				const struct merge_part *by, uint32_t other)
{
	const struct map *map = &m->capture.streams[place->stream].map;
	const struct map *of_other = &m->capture.streams[other].map;

	return map->len == of_other->len || is_stream_whole(m, by, other) ||
	       (place->to <= of_other->len &&
		!memcmp(map->data + place->from, of_other->data + place->from,
			place->to - place->from));
}

/* Has `by` the chunks before and behind the place, too, and no damage between them? */
static bool is_made_good_by(const struct merge *m, const struct chunk_damage *place,
			    const struct merge_part *part, const struct merge_part *by)
{
	const struct chunk_table *t = &m->table;
	uint32_t other = stream_of(m, by, merge_number_of(m, place->stream));
	struct stretch stretch = {place->stream, place->offset, place->offset + place->bytes};
	size_t behind = chunk_table_find(t, place->stream, stretch.to);
	const struct chunk *q = chunk_at(t, behind, place->stream);
	const struct chunk *p = behind ? chunk_at(t, behind - 1, place->stream) : NULL;

	if (other == UINT32_MAX || (p && !is_in(m, p, other)) || (q && !is_in(m, q, other)))
		return false;
	if (!q && !(is_copy(part, by) && (p || part->note) &&
		    is_end_made_good_by(m, &stretch, by, other)))
		return false;
	stretch.stream = other;
	return !has_damage_in(&t->damage, &stretch);
}

static bool is_made_good(const struct merge *m, const struct chunk_damage *place)
{
	const struct merge_part *part = merge_part_of(m, place->stream);

	if (part->capture.kind != CAPTURE_DIRECTORY || merge_is_data(m, place->stream))
		return false;
	for (size_t i = 0; i < m->nr_parts; i++)
		if (&m->parts[i] != part && m->parts[i].capture.kind == CAPTURE_DIRECTORY &&
		    is_made_good_by(m, place, part, &m->parts[i]))
			return true;
	return false;
}

/* The places that stay are compared with all that there are, so they are removed at the end. */
static void withdraw_places(struct merge *m)
{
	struct damage *d = &m->table.damage;
	bool is_good[DAMAGE_MAX] = {false};
	size_t kept = damage_kept(d), nr = 0;

	for (size_t i = 0; i < kept; i++)
		is_good[i] = is_made_good(m, &d->items[i]);
	for (size_t i = 0; i < kept; i++)
		if (!is_good[i])
			d->items[nr++] = d->items[i];
	d->nr -= kept - nr;
}

/* --- streams that are missing or cut short --- */

/* Has the copy each stream that the part does not have whole? */
static bool are_streams_made_good_by(const struct merge_part *part, const struct merge_part *by)
{
	for (size_t i = 0; i < part->account.nr_streams; i++)
		if (!has_whole(part, &part->account.streams[i]) &&
		    !has_whole(by, &part->account.streams[i]))
			return false;
	return true;
}

static void withdraw_missing(const struct merge *m, struct merge_part *part)
{
	for (size_t i = 0; part->misses_streams && i < m->nr_parts; i++)
		if (&m->parts[i] != part && is_copy(part, &m->parts[i]) &&
		    are_streams_made_good_by(part, &m->parts[i]))
			part->misses_streams = false;
	part->is_sound = merge_is_whole(part);
}

void merge_withdraw_damage(struct merge *m)
{
	for (size_t i = 0; i < m->nr_parts; i++)
		if (m->parts[i].misses_streams)
			withdraw_missing(m, &m->parts[i]);
	if (damage_kept(&m->table.damage))
		withdraw_places(m);
}
