// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/capture/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/directory/capture_note.h"
#include "common/directory/directory.h"
#include "common/json/json.h"
#include "common/stream/stream_index.h"
#include "common/stream/timeline_json.h"
#include "reader/capture/capture_streams.h"
#include "reader/capture/map.h"

/*
 * "data." and a number without leading zeros. The name comes from a file, and is searched and
 * printed.
 */
static bool is_stream_name(const char *name)
{
	size_t digits;

	if (strncmp(name, "data.", 5) != 0)
		return false;
	name += 5;
	digits = strspn(name, "0123456789");
	return digits && digits < 9 && !name[digits] && (*name != '0' || digits == 1);
}

static void add_stream(struct account *a, const struct ts_json *writer)
{
	const char *name = ts_json_text(writer, "stream");
	struct account_stream *s = &a->streams[a->nr_streams];

	if (!name || !is_stream_name(name))
		return;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->bytes = ts_json_number(writer, "stream_bytes");
	a->nr_streams++;
}

static int take_streams(struct account *a, const struct ts_json *root)
{
	const struct ts_json *writers = ts_json_member(root, "writers", TS_JSON_ARRAY);
	const struct ts_json *writer = ts_json_first(writers);

	if (!writer)
		return 0;
	a->streams = calloc(ts_json_count(writers), sizeof(*a->streams));
	if (!a->streams)
		return -ENOMEM;
	for (; writer; writer = ts_json_next(writer))
		add_stream(a, writer);
	return 0;
}

static bool take_ring(struct account_ring *r, const struct ts_json *o)
{
	const char *kind = ts_json_text(o, "kind");
	uint64_t number = ts_json_number(o, "number"), cpu = ts_json_number(o, "cpu");

	if (!kind || number >= UINT32_MAX || cpu >= UINT32_MAX)
		return false;
	*r = (struct account_ring){
		.number = (uint32_t)number,
		.cpu = (uint32_t)cpu,
		.is_sideband = !strcmp(kind, "sideband"),
		.is_overwritten = !strcmp(kind, "overwrite"),
		.records = ts_json_number(o, "records"),
		.lost = ts_json_number(o, "lost"),
		.lost_disk = ts_json_number(o, "lost_disk"),
		.lost_compression = ts_json_number(o, "lost_compression"),
		.lost_at_unknown_time = ts_json_number(o, "lost_at_unknown_time"),
	};
	ts_timeline_from_json(o, &r->timeline);
	return true;
}

/* Takes all rings, or none if one of them makes no sense. */
static int take_rings(struct account *a, const struct ts_json *root)
{
	const struct ts_json *rings = ts_json_member(root, "rings", TS_JSON_ARRAY);
	const struct ts_json *ring = ts_json_first(rings);

	if (!ring || ts_json_count(rings) > ACCOUNT_RINGS_MAX)
		return 0;
	a->rings = calloc(ts_json_count(rings), sizeof(*a->rings));
	if (!a->rings)
		return -ENOMEM;
	for (; ring && take_ring(&a->rings[a->nr_rings], ring); ring = ts_json_next(ring))
		a->nr_rings++;
	if (!ring)
		return 0;
	free(a->rings);
	a->rings = NULL;
	a->nr_rings = 0;
	return 0;
}

/* A number that is no less than 0, or `otherwise`. */
static double seconds(const struct ts_json *o, const char *key, double otherwise)
{
	double s = ts_json_real(o, key, otherwise);

	return s >= 0 && s < 1e12 ? s : otherwise;
}

static int take_absences(struct account *a, const struct ts_json *root)
{
	const struct ts_json *list = ts_json_member(root, "absences", TS_JSON_ARRAY);
	const struct ts_json *o = ts_json_first(list);

	if (!o)
		return 0;
	a->absences = calloc(ts_json_count(list), sizeof(*a->absences));
	if (!a->absences)
		return -ENOMEM;
	for (; o; o = ts_json_next(o)) {
		const char *cause = ts_json_text(o, "cause");

		if (!cause || !ts_json_member(o, "cpu", TS_JSON_INT) ||
		    ts_json_number(o, "cpu") >= UINT32_MAX)
			continue;
		a->absences[a->nr_absences++] = (struct account_absence){
			.cpu = (uint32_t)ts_json_number(o, "cpu"),
			.is_late = strcmp(cause, "offline") != 0,
			.from_s = seconds(o, "from_s", 0),
			.to_s = seconds(o, "to_s", -1),
		};
	}
	return 0;
}

static int take_gaps(struct account *a, const struct ts_json *root)
{
	const struct ts_json *list = ts_json_member(root, "names_missing", TS_JSON_ARRAY);
	const struct ts_json *o = ts_json_first(list);

	if (!o)
		return 0;
	a->gaps = calloc(ts_json_count(list), sizeof(*a->gaps));
	if (!a->gaps)
		return -ENOMEM;
	for (; o; o = ts_json_next(o))
		if (ts_json_member(o, "from_ns", TS_JSON_INT))
			a->gaps[a->nr_gaps++] = (struct account_gap){
				.from_ns = ts_json_number(o, "from_ns"),
				.to_ns = ts_json_number(o, "to_ns"),
			};
	return 0;
}

static void take_damage(struct account_damage *d, const struct ts_json *root)
{
	const struct ts_json *o = ts_json_member(root, "damage", TS_JSON_OBJECT);

	*d = (struct account_damage){
		.nr_places = ts_json_number(o, "places"),
		.bytes = ts_json_number(o, "bytes"),
		.nr_doubtful = ts_json_number(o, "doubtful_records"),
	};
}

void account_put_damage(struct ts_json **note, const struct account_damage *d)
{
	struct account_damage before;
	struct ts_json *o;

	if (!d->nr_places)
		return;
	if (!*note) {
		*note = ts_json_new();
		ts_json_put_text(*note, "program", PACKAGE_STRING);
	}
	take_damage(&before, *note);
	ts_json_put_text(*note, "state", "repaired");
	o = ts_json_put_object(*note, "damage");
	ts_json_put_number(o, "places", before.nr_places + d->nr_places);
	ts_json_put_number(o, "bytes", before.bytes + d->bytes);
	ts_json_put_number(o, "doubtful_records", before.nr_doubtful + d->nr_doubtful);
}

static int take_note(struct account *a, const struct ts_json *root)
{
	const char *state = ts_json_text(root, "state");
	const struct ts_json *ledger = ts_json_member(root, "ledger", TS_JSON_OBJECT);
	const struct ts_json *lost = ts_json_member(ledger, "lost", TS_JSON_OBJECT);
	int rc;

	a->is_complete = state && !strcmp(state, "complete");
	a->lost_ring_full = ts_json_number(lost, "ring_full");
	a->lost_compression = ts_json_number(lost, "compression");
	a->lost_disk = ts_json_number(lost, "disk");
	a->lost_paused = ts_json_number(lost, "paused");
	a->flush_ns = ts_json_number(root, "flush_ns");
	a->start_realtime_ns = ts_json_number(root, "start_realtime_ns");
	a->own_samples = ts_json_number(ts_json_member(root, "self", TS_JSON_OBJECT), "samples");
	a->is_exact = ts_json_is_true(ledger, "counted_by_kernel");
	take_damage(&a->damage, root);
	rc = take_absences(a, root);
	if (!rc)
		rc = take_gaps(a, root);
	if (!rc && a->is_complete)
		rc = take_streams(a, root);
	/* An older recorder did not note the times of losses. */
	if (!rc && ts_json_member(ledger, "lost_at_unknown_time", TS_JSON_INT))
		rc = take_rings(a, root);
	return rc;
}

int account_note(const struct capture *c, struct ts_json **ret)
{
	struct ts_error err;
	struct map map;
	size_t offset;
	int rc;

	*ret = NULL;
	if (c->kind != CAPTURE_DIRECTORY)
		return 0;
	rc = map_open_in(&map, c->path, TS_DIR_INFO, &err);
	if (!rc)
		rc = ts_capture_note_parse(ret, (const char *)map.data, map.len, &offset);
	map_close(&map);
	return ts_error_is_of_machine(-rc) ? rc : 0;
}

int account_take(struct account *ret, const struct ts_json *note)
{
	int rc;

	*ret = (struct account){0};
	rc = take_note(ret, note);
	if (rc)
		account_release(ret);
	return rc;
}

int account_read(struct account *ret, const struct capture *c)
{
	struct ts_json *note;
	int rc = account_note(c, &note);

	*ret = (struct account){0};
	if (!rc)
		rc = account_take(ret, note);
	ts_json_free(note);
	return rc;
}

int account_read_streams(struct account *ret, const struct capture *c)
{
	struct ts_json *note;
	int rc = account_note(c, &note);

	*ret = (struct account){0};
	if (!rc)
		rc = take_streams(ret, note);
	ts_json_free(note);
	return rc;
}

static bool has_footer(const struct map *map)
{
	struct ts_footer footer;
	enum ts_found found = ts_footer_last(map->data, map->len, &footer);

	return found == TS_FOUND_OK || found == TS_FOUND_NEWER;
}

enum account_found account_check(const struct account_stream *s, const struct capture *c,
				 uint64_t *ret_missing_bytes)
{
	const struct capture_stream *stream = capture_streams_find(c, s->name);
	uint64_t len = stream ? stream->map.len : 0;

	*ret_missing_bytes = len < s->bytes ? s->bytes - len : 0;
	if (!stream)
		return ACCOUNT_MISSING;
	if (len < s->bytes)
		return ACCOUNT_SHORT;
	return has_footer(&stream->map) ? ACCOUNT_SOUND : ACCOUNT_NO_END;
}

void account_release(struct account *a)
{
	free(a->streams);
	free(a->absences);
	free(a->gaps);
	free(a->rings);
	*a = (struct account){0};
}
