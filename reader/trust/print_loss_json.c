// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/escape_text.h"
#include "common/json/json.h"
#include "common/stream/timeline_json.h"
#include "reader/runtime/text.h"
#include "reader/trust/loss_grid.h"
#include "reader/trust/print_loss.h"

#define LOSS_JSON_MAJOR 1
#define LOSS_JSON_MINOR 2

static void put_lost(struct ts_json *o, const uint64_t *by_cause)
{
	struct ts_json *lost = ts_json_put_object(o, "lost");

	ts_json_put_number(lost, ts_loss_cause_name(TS_LOSS_RING_FULL),
			   by_cause[TS_LOSS_RING_FULL]);
	ts_json_put_number(lost, ts_loss_cause_name(TS_LOSS_DISK), by_cause[TS_LOSS_DISK]);
	for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
		if (by_cause[cause])
			ts_json_put_number(lost, ts_loss_cause_name((enum ts_loss_cause)cause),
					   by_cause[cause]);
}

static void put_ring(struct ts_json *rings, const struct loss *l, const struct loss_ring *r)
{
	struct ts_json *o = ts_json_put_object(rings, NULL);

	if (l->source != LOSS_FROM_RECORDS) {
		ts_json_put_number(o, "ring", r->number);
		ts_json_put_text(o, "kind", r->is_sideband ? "sideband" : "samples");
	}
	if (r->cpu != LOSS_NO_CPU)
		ts_json_put_number(o, "cpu", r->cpu);
	ts_json_put_number(o, "kept", r->kept);
	put_lost(o, r->lost);
	ts_json_put_number(o, "lost_at_unknown_time", r->at_unknown_time);
	ts_timeline_to_json(o, &r->timeline);
}

static void put_sums(struct ts_json *root, const struct loss *l)
{
	uint64_t kept = 0, at_unknown_time = 0, by_cause[TS_LOSS_NR] = {0};

	for (size_t i = 0; i < l->nr; i++) {
		const struct loss_ring *r = &l->rings[i];

		kept += r->kept;
		at_unknown_time += r->at_unknown_time;
		for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
			by_cause[cause] += r->lost[cause];
	}
	ts_json_put_number(root, "kept", kept);
	put_lost(root, by_cause);
	ts_json_put_number(root, "lost_at_unknown_time", at_unknown_time);
}

static void put_rings(struct ts_json *root, const struct loss *l)
{
	struct ts_json *rings = ts_json_put_array(root, "rings");

	for (size_t i = 0; i < l->nr; i++)
		put_ring(rings, l, &l->rings[i]);
}

static void put_bias(struct ts_json *root, const struct loss *l)
{
	struct ts_json *o = ts_json_put_object(root, "bias");
	struct loss_bias b;

	loss_bias(l, &b);
	ts_json_put_real(o, "cpu_points", b.cpu_points);
	ts_json_put_real(o, "time_points", b.time_points);
}

/* As in tstream.json. */
static void put_gaps(struct ts_json *root, const struct account *a)
{
	struct ts_json *list = a->nr_gaps ? ts_json_put_array(root, "names_missing") : NULL;

	for (size_t i = 0; i < a->nr_gaps; i++) {
		struct ts_json *o = ts_json_put_object(list, NULL);

		ts_json_put_number(o, "from_ns", a->gaps[i].from_ns);
		if (a->gaps[i].to_ns)
			ts_json_put_number(o, "to_ns", a->gaps[i].to_ns);
	}
}

/* As in tstream.json. */
static void put_version(struct ts_json *root)
{
	struct ts_json *o = ts_json_put_object(root, "format");

	ts_json_put_number(o, "major", LOSS_JSON_MAJOR);
	ts_json_put_number(o, "minor", LOSS_JSON_MINOR);
	ts_json_put_text(root, "program", PACKAGE_STRING);
}

/* The path is made harmless, since it may not be UTF-8. */
static int put_path(struct ts_json *o, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	ts_escape_text(copy, strlen(copy), "");
	ts_json_put_text(o, "path", copy);
	free(copy);
	return 0;
}

/* The members of the first capture stand in the document itself. */
static struct ts_json *next_object(struct loss_json *j)
{
	if (!j->root) {
		j->root = ts_json_new();
		put_version(j->root);
		return j->root;
	}
	if (!j->others)
		j->others = ts_json_put_array(j->root, "other_captures");
	return ts_json_put_object(j->others, NULL);
}

int loss_json_add(struct loss_json *j, const char *path, const struct loss *l,
		  const struct account *a)
{
	static const char *const sources[] = {
		[LOSS_FROM_ACCOUNT] = "tstream.json",
		[LOSS_FROM_CHUNKS] = "chunk headers",
		[LOSS_FROM_RECORDS] = "LOST records",
	};
	struct ts_json *o = next_object(j);

	if (!o || put_path(o, path))
		return -ENOMEM;
	ts_json_put_text(o, "source", sources[l->source]);
	ts_json_put_bool(o, "is_exact", l->is_exact);
	put_sums(o, l);
	put_gaps(o, a);
	put_rings(o, l);
	put_bias(o, l);
	return 0;
}

int loss_json_print(const struct loss_json *j, struct ts_bytes *out)
{
	int rc = ts_json_print(j->root, out);

	ts_bytes_put(out, "\n", 1);
	return rc;
}

void loss_json_close(struct loss_json *j)
{
	ts_json_free(j->root);
	*j = (struct loss_json){0};
}
