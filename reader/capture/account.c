// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/account.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_member.h"
#include "common/directory/directory.h"
#include "common/stream/stream_index.h"
#include "common/stream/timeline_json.h"
#include "reader/capture/map.h"

/* A recorder of a thousand CPUs, with 256 slots of time for each, writes less than half of this. */
#define NOTE_MAX_BYTES (32u << 20)
/* Memory that json-c needs for a text, in bytes: an object starts with a table of 16 members. */
#define OBJECT_BYTES 1024u
#define ARRAY_BYTES  512u
#define VALUE_BYTES  96u
#define PARSED_BYTES (512u << 20) /* nearly twice what 4096 CPUs need */

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

static void add_stream(struct account *a, struct json_object *writer)
{
	struct json_object *name = ts_json_member(writer, "stream", json_type_string);
	struct account_stream *s = &a->streams[a->nr_streams];

	if (!name || !is_stream_name(json_object_get_string(name)))
		return;
	snprintf(s->name, sizeof(s->name), "%s", json_object_get_string(name));
	s->bytes = ts_json_number(writer, "stream_bytes");
	a->nr_streams++;
}

static void take_streams(struct account *a, struct json_object *root)
{
	struct json_object *writers = ts_json_member(root, "writers", json_type_array);
	size_t nr = writers ? json_object_array_length(writers) : 0;

	a->streams = nr ? calloc(nr, sizeof(*a->streams)) : NULL;
	for (size_t i = 0; a->streams && i < nr; i++)
		add_stream(a, json_object_array_get_idx(writers, i));
}

static bool is_true(struct json_object *o, const char *key)
{
	struct json_object *value = ts_json_member(o, key, json_type_boolean);

	return value && json_object_get_boolean(value);
}

static bool take_ring(struct account_ring *r, struct json_object *o)
{
	struct json_object *kind = ts_json_member(o, "kind", json_type_string);
	uint64_t number = ts_json_number(o, "number"), cpu = ts_json_number(o, "cpu");

	if (!kind || number >= UINT32_MAX || cpu >= UINT32_MAX)
		return false;
	*r = (struct account_ring){
		.number = (uint32_t)number,
		.cpu = (uint32_t)cpu,
		.is_sideband = !strcmp(json_object_get_string(kind), "sideband"),
		.is_overwritten = !strcmp(json_object_get_string(kind), "overwrite"),
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
static void take_rings(struct account *a, struct json_object *root)
{
	struct json_object *rings = ts_json_member(root, "rings", json_type_array);
	size_t nr = rings ? json_object_array_length(rings) : 0;

	a->rings = nr && nr <= ACCOUNT_RINGS_MAX ? calloc(nr, sizeof(*a->rings)) : NULL;
	if (!a->rings)
		return;
	for (; a->nr_rings < nr; a->nr_rings++) {
		struct json_object *o = json_object_array_get_idx(rings, a->nr_rings);

		if (take_ring(&a->rings[a->nr_rings], o))
			continue;
		free(a->rings);
		a->rings = NULL;
		a->nr_rings = 0;
		return;
	}
}

/* A number that is no less than 0, or `otherwise`. */
static double seconds(struct json_object *o, const char *key, double otherwise)
{
	struct json_object *value = ts_json_member(o, key, json_type_double);
	double s;

	if (!value)
		value = ts_json_member(o, key, json_type_int);
	s = value ? json_object_get_double(value) : otherwise;
	return s >= 0 && s < 1e12 ? s : otherwise;
}

static void take_absences(struct account *a, struct json_object *root)
{
	struct json_object *list = ts_json_member(root, "absences", json_type_array);
	size_t nr = list ? json_object_array_length(list) : 0;

	a->absences = nr ? calloc(nr, sizeof(*a->absences)) : NULL;
	for (size_t i = 0; a->absences && i < nr; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		struct json_object *cause = ts_json_member(o, "cause", json_type_string);

		if (!cause || !ts_json_member(o, "cpu", json_type_int) ||
		    ts_json_number(o, "cpu") >= UINT32_MAX)
			continue;
		a->absences[a->nr_absences++] = (struct account_absence){
			.cpu = (uint32_t)ts_json_number(o, "cpu"),
			.is_late = strcmp(json_object_get_string(cause), "offline") != 0,
			.from_s = seconds(o, "from_s", 0),
			.to_s = seconds(o, "to_s", -1),
		};
	}
}

static void take_note(struct account *a, struct json_object *root)
{
	struct json_object *state = ts_json_member(root, "state", json_type_string);
	struct json_object *ledger = ts_json_member(root, "ledger", json_type_object);
	struct json_object *lost = ts_json_member(ledger, "lost", json_type_object);

	a->is_complete = state && !strcmp(json_object_get_string(state), "complete");
	a->lost_ring_full = ts_json_number(lost, "ring_full");
	a->lost_compression = ts_json_number(lost, "compression");
	a->lost_disk = ts_json_number(lost, "disk");
	a->lost_paused = ts_json_number(lost, "paused");
	a->flush_ns = ts_json_number(root, "flush_ns");
	a->own_samples = ts_json_number(ts_json_member(root, "self", json_type_object), "samples");
	a->is_exact = is_true(ledger, "counted_by_kernel");
	take_absences(a, root);
	if (a->is_complete)
		take_streams(a, root);
	/* An older recorder did not note the times of losses. */
	if (ts_json_member(ledger, "lost_at_unknown_time", json_type_int))
		take_rings(a, root);
}

/*
 * Refuses a text that was written to fill memory, with a few bytes for each value: no recorder
 * writes it.
 */
static bool is_affordable(const char *text, size_t len)
{
	uint64_t bytes = len;

	for (size_t i = 0; i < len; i++) {
		bytes += text[i] == '{' ? OBJECT_BYTES : 0;
		bytes += text[i] == '[' ? ARRAY_BYTES : 0;
		bytes += text[i] == ',' || text[i] == ':' ? VALUE_BYTES : 0;
	}
	return bytes <= PARSED_BYTES;
}

/* For the caller to put; NULL: the text makes no sense. */
static struct json_object *parse_note(const char *text, size_t len)
{
	struct json_tokener *tokener = NULL;
	struct json_object *root;

	if (len && len <= NOTE_MAX_BYTES && is_affordable(text, len))
		tokener = json_tokener_new();
	if (!tokener)
		return NULL;
	root = json_tokener_parse_ex(tokener, text, (int)len);
	json_tokener_free(tokener);
	if (json_object_is_type(root, json_type_object))
		return root;
	json_object_put(root);
	return NULL;
}

struct json_object *account_note(const struct capture *c)
{
	struct json_object *root = NULL;
	struct ts_error err;
	struct map map;

	if (c->kind != CAPTURE_DIRECTORY)
		return NULL;
	if (!map_open_in(&map, c->path, TS_DIR_INFO, &err))
		root = parse_note((const char *)map.data, map.len);
	map_close(&map);
	return root;
}

static void read_and_put(struct account *ret, struct json_object *root)
{
	*ret = (struct account){0};
	take_note(ret, root);
	json_object_put(root);
}

void account_parse(struct account *ret, const char *text, size_t len)
{
	read_and_put(ret, parse_note(text, len));
}

void account_read(struct account *ret, const struct capture *c)
{
	read_and_put(ret, account_note(c));
}

static const struct capture_stream *find_stream(const struct capture *c, const char *name)
{
	for (size_t i = 1; i < c->nr_streams; i++) {
		const char *slash = strrchr(c->streams[i].path, '/');

		if (slash && !strcmp(slash + 1, name))
			return &c->streams[i];
	}
	return NULL;
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
	const struct capture_stream *stream = find_stream(c, s->name);
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
	free(a->rings);
	*a = (struct account){0};
}
