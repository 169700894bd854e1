// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/escape_text.h"
#include "common/base/json_member.h"
#include "common/stream/timeline_json.h"
#include "reader/runtime/text.h"
#include "reader/trust/loss_grid.h"
#include "reader/trust/print_loss.h"

#define LOSS_JSON_MAJOR 1
#define LOSS_JSON_MINOR 1

static void put_lost(struct json_object *o, const uint64_t *by_cause)
{
	struct json_object *lost = json_object_new_object();

	json_object_object_add(o, "lost", lost);
	ts_json_put_number(lost, ts_loss_cause_name(TS_LOSS_RING_FULL),
			   by_cause[TS_LOSS_RING_FULL]);
	ts_json_put_number(lost, ts_loss_cause_name(TS_LOSS_DISK), by_cause[TS_LOSS_DISK]);
	for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
		if (by_cause[cause])
			ts_json_put_number(lost, ts_loss_cause_name((enum ts_loss_cause)cause),
					   by_cause[cause]);
}

static struct json_object *ring_object(const struct loss *l, const struct loss_ring *r)
{
	struct json_object *o = json_object_new_object();

	if (l->source != LOSS_FROM_RECORDS) {
		ts_json_put_number(o, "ring", r->number);
		json_object_object_add(
			o, "kind", json_object_new_string(r->is_sideband ? "sideband" : "samples"));
	}
	if (r->cpu != LOSS_NO_CPU)
		ts_json_put_number(o, "cpu", r->cpu);
	ts_json_put_number(o, "kept", r->kept);
	put_lost(o, r->lost);
	ts_json_put_number(o, "lost_at_unknown_time", r->at_unknown_time);
	ts_timeline_to_json(o, &r->timeline);
	return o;
}

static void put_rings(struct json_object *root, const struct loss *l)
{
	struct json_object *rings = json_object_new_array();
	uint64_t kept = 0, at_unknown_time = 0, by_cause[TS_LOSS_NR] = {0};

	for (size_t i = 0; i < l->nr; i++) {
		const struct loss_ring *r = &l->rings[i];

		kept += r->kept;
		at_unknown_time += r->at_unknown_time;
		for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
			by_cause[cause] += r->lost[cause];
		json_object_array_add(rings, ring_object(l, r));
	}
	ts_json_put_number(root, "kept", kept);
	put_lost(root, by_cause);
	ts_json_put_number(root, "lost_at_unknown_time", at_unknown_time);
	json_object_object_add(root, "rings", rings);
}

static void put_bias(struct json_object *root, const struct loss *l)
{
	struct json_object *o = json_object_new_object();
	struct loss_bias b;

	loss_bias(l, &b);
	json_object_object_add(o, "cpu_points", json_object_new_double(b.cpu_points));
	json_object_object_add(o, "time_points", json_object_new_double(b.time_points));
	json_object_object_add(root, "bias", o);
}

/* As in tstream.json. */
static void put_version(struct json_object *root)
{
	struct json_object *o = json_object_new_object();

	ts_json_put_number(o, "major", LOSS_JSON_MAJOR);
	ts_json_put_number(o, "minor", LOSS_JSON_MINOR);
	json_object_object_add(root, "format", o);
	json_object_object_add(root, "program", json_object_new_string(PACKAGE_STRING));
}

/* The path is made harmless, since it may not be UTF-8. */
static int put_path(struct json_object *o, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	ts_escape_text(copy, strlen(copy), "");
	json_object_object_add(o, "path", json_object_new_string(copy));
	free(copy);
	return 0;
}

/* The members of the first capture stand in the document itself. */
static struct json_object *next_object(struct loss_json *j)
{
	struct json_object *o = json_object_new_object();

	if (!j->root) {
		j->root = o;
		if (o)
			put_version(o);
		return o;
	}
	if (!j->others) {
		j->others = json_object_new_array();
		json_object_object_add(j->root, "other_captures", j->others);
	}
	json_object_array_add(j->others, o);
	return o;
}

int loss_json_add(struct loss_json *j, const char *path, const struct loss *l)
{
	static const char *const sources[] = {
		[LOSS_FROM_ACCOUNT] = "tstream.json",
		[LOSS_FROM_CHUNKS] = "chunk headers",
		[LOSS_FROM_RECORDS] = "LOST records",
	};
	struct json_object *o = next_object(j);

	if (!o || put_path(o, path))
		return -ENOMEM;
	json_object_object_add(o, "source", json_object_new_string(sources[l->source]));
	json_object_object_add(o, "is_exact", json_object_new_boolean(l->is_exact));
	put_rings(o, l);
	put_bias(o, l);
	return 0;
}

int loss_json_print(const struct loss_json *j, struct ts_bytes *out)
{
	const char *text = json_object_to_json_string_ext(
		j->root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text)
		return -ENOMEM;
	ts_bytes_printf(out, "%s\n", text);
	return 0;
}

void loss_json_close(struct loss_json *j)
{
	json_object_put(j->root);
	*j = (struct loss_json){0};
}
