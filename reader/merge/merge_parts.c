// SPDX-License-Identifier: Apache-2.0
/*
 * Parts belong together if they are of one recording. In captures of ours the chunks show that
 * (uuid). Captures of others must have the same events, with ids in common, and the same host and
 * kernel. Ids that only some parts have (a CPU that came later) are added.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/stream/checksum.h"
#include "reader/chunks/stream_walk.h"
#include "reader/merge/merge.h"

static int refuse_parts(const struct merge_part *a, const struct merge_part *b, const char *why,
			struct ts_error *err)
{
	ts_error_set(err, EINVAL, "cannot merge %s with %s: %s", b->capture.path, a->capture.path,
		     why);
	return ts_error_hint(err, "read both together with 'tstream report -i %s -i %s'",
			     a->capture.path, b->capture.path);
}

/* --- events --- */

/* Are the attrs equal in all known fields? A file may have room for more fields. */
static bool is_same_attr(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	struct perf_event_attr x = *a, y = *b;

	x.size = y.size = 0;
	return !memcmp(&x, &y, sizeof(x));
}

static bool are_same_events(const struct ts_events *a, const struct ts_events *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (!is_same_attr(&a->items[i].attr, &b->items[i].attr) ||
		    strcmp(a->items[i].name, b->items[i].name) != 0)
			return false;
	return true;
}

static uint32_t find_exact(const struct ts_events *evs, uint64_t id)
{
	for (size_t i = 0; i < evs->nr; i++)
		for (size_t n = 0; n < evs->items[i].nr_ids; n++)
			if (evs->items[i].ids[n] == id)
				return (uint32_t)i;
	return TS_NO_EVENT;
}

/*
 * Finds the event of an id. With several events the id table is used; with one event that table
 * would accept every id, so the ids are compared.
 */
static uint32_t find_id(const struct ts_events *evs, uint64_t id)
{
	return evs->nr == 1 ? find_exact(evs, id) : ts_events_find(evs, id);
}

static int add_id(struct ts_event *e, uint64_t id)
{
	uint64_t *ids = realloc(e->ids, (e->nr_ids + 1) * sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	e->ids = ids;
	ids[e->nr_ids++] = id;
	return 0;
}

/* Adds the ids of `more`. Returns -EINVAL if an id belongs to another event. */
static int add_ids(struct ts_events *merged, const struct ts_events *more, bool *ret_shares)
{
	int rc = 0;

	for (uint32_t i = 0; i < more->nr; i++)
		for (size_t n = 0; !rc && n < more->items[i].nr_ids; n++) {
			uint32_t known = find_id(merged, more->items[i].ids[n]);

			if (known == i)
				*ret_shares = true;
			else if (known != TS_NO_EVENT)
				rc = -EINVAL;
			else
				rc = add_id(&merged->items[i], more->items[i].ids[n]);
		}
	return rc;
}

static bool is_same_feature(const struct merge_part *a, const struct merge_part *b,
			    enum ts_feature bit)
{
	const struct ts_feature_section *x = &a->capture.header.features[bit];
	const struct ts_feature_section *y = &b->capture.header.features[bit];

	return x->size == y->size && (!x->size || !memcmp(x->data, y->data, x->size));
}

/*
 * Adds the events of a part to the merged ones. Returns -EINVAL if the part belongs to another
 * recording.
 */
static int add_events(struct ts_events *merged, const struct merge_part *first,
		      const struct merge_part *part, struct ts_error *err)
{
	bool shares = false;
	int rc;

	if (first->has_uuid && part->has_uuid &&
	    memcmp(first->uuid, part->uuid, sizeof(first->uuid)) != 0)
		return refuse_parts(first, part, "they are of different recordings", err);
	if (!is_same_feature(first, part, TS_FEAT_HOSTNAME) ||
	    !is_same_feature(first, part, TS_FEAT_OSRELEASE))
		return refuse_parts(first, part, "they are of different hosts or kernels", err);
	if (!are_same_events(&first->capture.header.events, &part->capture.header.events))
		return refuse_parts(first, part, "their events are not the same", err);
	rc = add_ids(merged, &part->capture.header.events, &shares);
	if (rc == -ENOMEM)
		return ts_error_sys(err, ENOMEM, "cannot merge %s", part->capture.path);
	if (rc || !shares)
		return refuse_parts(first, part, "they are of different recordings", err);
	return ts_events_index(merged, err);
}

static int copy_events(struct ts_events *to, const struct ts_events *from, struct ts_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < from->nr; i++)
		rc = ts_events_add(to, &from->items[i].attr, from->items[i].name,
				   from->items[i].ids, from->items[i].nr_ids, err);
	return rc ? rc : ts_events_index(to, err);
}

/* --- one part --- */

/* Takes the uuid of the recording from the first sound chunk header. */
static void find_uuid(struct merge_part *part)
{
	for (size_t i = 1; i < part->capture.nr_streams && !part->has_uuid; i++) {
		const struct capture_stream *s = &part->capture.streams[i];
		struct ts_chunk c;
		uint64_t at;

		if (!stream_walk_is_ours(s))
			continue;
		at = ts_chunk_next_magic(s->map.data, s->end, s->begin);
		if (at == TS_NO_OFFSET ||
		    ts_chunk_parse(s->map.data + at, s->end - at, at, &c) != TS_FOUND_OK)
			continue;
		memcpy(part->uuid, c.uuid, sizeof(part->uuid));
		part->has_uuid = true;
	}
}

/* Takes the uuid from the note if no chunk was recorded. */
static void find_noted_uuid(struct merge_part *part)
{
	const char *text = ts_json_text(part->note, "uuid"), *digits = "0123456789abcdef";
	size_t nr = 0;

	if (part->has_uuid || !text)
		return;
	for (; *text && nr < 2 * sizeof(part->uuid); text++) {
		const char *digit = strchr(digits, *text);

		if (*text == '-')
			continue;
		if (!digit)
			return;
		part->uuid[nr / 2] = (uint8_t)(part->uuid[nr / 2] << 4 | (digit - digits));
		nr++;
	}
	part->has_uuid = nr == 2 * sizeof(part->uuid) && !*text;
}

/* Refuses a part whose records do not all have a time: they cannot be ordered. */
static int check_times(const struct merge_part *part, const char *verb, struct ts_error *err)
{
	const struct ts_events *events = &part->capture.header.events;

	for (size_t i = 0; i < events->nr; i++)
		if (!(events->items[i].attr.sample_type & PERF_SAMPLE_TIME) ||
		    !events->items[i].attr.sample_id_all)
			return ts_error_set(err, EINVAL,
					    "cannot %s %s: not all of its records have a time",
					    verb, part->capture.path);
	return 0;
}

static int check_part(const struct merge_part *part, const char *verb, struct ts_error *err)
{
	const struct capture *c = &part->capture;

	if (c->is_running)
		return ts_error_set(err, EBUSY, "cannot %s %s: it is still being recorded", verb,
				    c->path);
	if (c->header.features[TS_FEAT_AUXTRACE].data)
		return ts_error_set(err, EINVAL,
				    "cannot %s %s: it has a processor trace (AUX area)", verb,
				    c->path);
	return check_times(part, verb, err);
}

static bool misses_streams(const struct merge_part *part)
{
	uint64_t missing;

	for (size_t i = 0; i < part->account.nr_streams; i++)
		if (account_check(&part->account.streams[i], &part->capture, &missing) !=
		    ACCOUNT_SOUND)
			return true;
	return false;
}

static bool has_damaged_data(const struct merge_part *part)
{
	return part->has_other_data || part->capture.header.nr_bad_features ||
	       part->capture.header.data_cut;
}

bool merge_is_whole(const struct merge_part *part)
{
	return part->account.is_complete && !part->misses_streams && !has_damaged_data(part);
}

static int open_part(struct merge_part *part, const char *path, const struct merge *m,
		     struct ts_error *err)
{
	int rc = capture_open(&part->capture, path, err);

	if (rc)
		return rc;
	part->capture.memory = m->capture.memory;
	rc = account_note(&part->capture, &part->note);
	if (!rc)
		rc = account_take(&part->account, part->note);
	if (!rc)
		rc = merge_note_sum(part->note, &part->note_checksum);
	if (rc)
		return ts_error_sys(err, -rc, "cannot read %s/%s", path, TS_DIR_INFO);
	part->first_stream = (uint32_t)m->capture.nr_streams;
	part->first_ns = UINT64_MAX;
	part->has_other_data =
		part->note && !merge_note_knows_data(part->note, part->capture.streams[0].map.data,
						     part->capture.streams[0].map.len);
	if (part->capture.kind == CAPTURE_DIRECTORY)
		part->data_checksum = ts_checksum(part->capture.streams[0].map.data,
						  part->capture.streams[0].map.len);
	part->misses_streams = misses_streams(part);
	part->has_damage = part->misses_streams || has_damaged_data(part);
	part->is_sound = merge_is_whole(part);
	find_uuid(part);
	find_noted_uuid(part);
	return check_part(part, m->verb, err);
}

/* --- all of them as one capture --- */

static int add_streams(struct capture *c, const struct capture *part)
{
	if (c->nr_streams + part->nr_streams >= UINT32_MAX ||
	    capture_reserve_streams(c, part->nr_streams))
		return -ENOMEM;
	memcpy(c->streams + c->nr_streams, part->streams,
	       part->nr_streams * sizeof(*part->streams));
	c->nr_streams += part->nr_streams;
	return 0;
}

static void add_header(struct ts_header *h, const struct ts_header *part)
{
	h->data_unfinished |= part->data_unfinished;
	if (part->compressed_mmap_len > h->compressed_mmap_len)
		h->compressed_mmap_len = part->compressed_mmap_len;
}

static int add_part(struct merge *m, const char *path, struct ts_error *err)
{
	struct merge_part *part = &m->parts[m->nr_parts];
	int rc = open_part(part, path, m, err);

	m->nr_parts++;
	if (!rc)
		rc = m->nr_parts == 1
			     ? copy_events(&m->capture.header.events, &part->capture.header.events,
					   err)
			     : add_events(&m->capture.header.events, &m->parts[0], part, err);
	if (rc)
		return rc;
	add_header(&m->capture.header, &part->capture.header);
	return add_streams(&m->capture, &part->capture) ? merge_no_memory(m, err) : 0;
}

int merge_open_to(struct merge *m, const char *verb, const char *const *paths, size_t nr,
		  unsigned int nr_workers, struct memory *memory, struct progress *progress,
		  struct ts_error *err)
{
	int rc = 0;

	*m = (struct merge){.verb = verb, .capture = {.memory = memory, .progress = progress}};
	m->capture.path = strdup(paths[0]);
	m->parts = calloc(nr, sizeof(*m->parts));
	if (!m->capture.path || !m->parts)
		return ts_error_sys(err, ENOMEM, "cannot %s %s", verb, paths[0]);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_part(m, paths[i], err);
	if (rc)
		return rc;
	range_layout_init(&m->layout, &m->capture.header.events);
	return chunk_table_open(&m->table, &m->capture, nr_workers, 0, NULL, err);
}

int merge_open(struct merge *m, const char *const *paths, size_t nr, unsigned int nr_workers,
	       struct memory *memory, struct progress *progress, struct ts_error *err)
{
	return merge_open_to(m, "merge", paths, nr, nr_workers, memory, progress, err);
}
