// SPDX-License-Identifier: Apache-2.0
/*
 * The numbers of a timeline stand in one line. With a line for each number, hundreds of slots of
 * hundreds of rings would make a file that nobody can read.
 */
#include "common/stream/timeline_json.h"

#include <inttypes.h>

#include "common/base/bytes.h"
#include "common/base/clock.h"

static bool has_any(const struct ts_timeline *t, enum ts_loss_cause cause)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->slots[i].nr[cause])
			return true;
	return false;
}

static void put_counts(struct json_object *o, const struct ts_timeline *t, enum ts_loss_cause cause)
{
	struct json_object *row = json_object_new_object();
	struct ts_bytes text = {0};

	for (uint32_t i = 0; i < t->nr; i++)
		ts_bytes_printf(&text, "%s%" PRIu64, i ? "," : "[", t->slots[i].nr[cause]);
	ts_bytes_printf(&text, "]%c", '\0');
	if (row && !ts_bytes_failed(&text)) {
		json_object_set_serializer(row, json_object_userdata_to_json_string, text.data,
					   json_object_free_userdata);
		json_object_object_add(o, ts_loss_cause_name(cause), row);
		return;
	}
	json_object_put(row);
	ts_bytes_release(&text);
}

void ts_timeline_to_json(struct json_object *ring, const struct ts_timeline *t)
{
	struct json_object *o;

	if (!t || !t->nr || !(o = json_object_new_object()))
		return;
	json_object_object_add(ring, "times", o);
	json_object_object_add(o, "start_s",
			       json_object_new_uint64(t->first * (t->step_ns / TS_NS_PER_SEC)));
	json_object_object_add(o, "step_s", json_object_new_uint64(t->step_ns / TS_NS_PER_SEC));
	for (unsigned int cause = 0; cause < TS_LOSS_NR; cause++)
		if (cause == TS_LOSS_NONE || has_any(t, cause))
			put_counts(o, t, cause);
}

/* A number; 0 if it is missing or no integer. json-c gives 0 for a negative one. */
static uint64_t json_number(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value) ||
	    !json_object_is_type(value, json_type_int))
		return 0;
	return json_object_get_uint64(value);
}

static void take_counts(struct json_object *o, struct ts_timeline *t, enum ts_loss_cause cause)
{
	struct json_object *row;
	size_t nr;

	if (!json_object_object_get_ex(o, ts_loss_cause_name(cause), &row) ||
	    !json_object_is_type(row, json_type_array))
		return;
	nr = json_object_array_length(row);
	for (size_t i = 0; i < nr && i < TS_TIMELINE_SLOTS; i++) {
		struct json_object *n = json_object_array_get_idx(row, i);

		if (json_object_is_type(n, json_type_int))
			t->slots[i].nr[cause] = json_object_get_uint64(n);
		t->nr = i >= t->nr ? (uint32_t)i + 1 : t->nr;
	}
}

void ts_timeline_from_json(struct json_object *ring, struct ts_timeline *ret)
{
	struct json_object *o;
	uint64_t start_s, step_s;

	*ret = (struct ts_timeline){0};
	if (!json_object_is_type(ring, json_type_object) ||
	    !json_object_object_get_ex(ring, "times", &o) ||
	    !json_object_is_type(o, json_type_object))
		return;
	start_s = json_number(o, "start_s");
	step_s = json_number(o, "step_s");
	/*
	 * The step must be a power of two of seconds: slots of all timelines then fit each other.
	 */
	if (!step_s || step_s & (step_s - 1) || step_s > INT64_MAX / TS_NS_PER_SEC / 512 ||
	    start_s > INT64_MAX / TS_NS_PER_SEC / 2)
		return;
	ret->step_ns = step_s * TS_NS_PER_SEC;
	ret->first = start_s / step_s;
	for (unsigned int cause = 0; cause < TS_LOSS_NR; cause++)
		take_counts(o, ret, cause);
}
