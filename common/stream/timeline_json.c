// SPDX-License-Identifier: Apache-2.0
#include "common/stream/timeline_json.h"

#include "common/base/clock.h"

static bool has_any(const struct ts_timeline *t, enum ts_loss_cause cause)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->slots[i].nr[cause])
			return true;
	return false;
}

void ts_timeline_to_json(struct ts_json *ring, const struct ts_timeline *t)
{
	struct ts_json *o, *counts;

	if (!t || !t->nr)
		return;
	o = ts_json_put_object(ring, "times");
	ts_json_put_number(o, "start_s", t->first * (t->step_ns / TS_NS_PER_SEC));
	ts_json_put_number(o, "step_s", t->step_ns / TS_NS_PER_SEC);
	for (unsigned int cause = 0; cause < TS_LOSS_NR; cause++) {
		if (cause != TS_LOSS_NONE && !has_any(t, cause))
			continue;
		counts = ts_json_put_array(o, ts_loss_cause_name(cause));
		for (uint32_t i = 0; i < t->nr; i++)
			ts_json_put_number(counts, NULL, t->slots[i].nr[cause]);
	}
}

static void take_counts(const struct ts_json *o, struct ts_timeline *t, enum ts_loss_cause cause)
{
	const struct ts_json *value =
		ts_json_first(ts_json_member(o, ts_loss_cause_name(cause), TS_JSON_ARRAY));

	for (uint32_t i = 0; value && i < TS_TIMELINE_SLOTS; i++, value = ts_json_next(value)) {
		t->slots[i].nr[cause] = ts_json_value(value);
		t->nr = i >= t->nr ? i + 1 : t->nr;
	}
}

void ts_timeline_from_json(const struct ts_json *ring, struct ts_timeline *ret)
{
	const struct ts_json *o = ts_json_member(ring, "times", TS_JSON_OBJECT);
	uint64_t start_s = ts_json_number(o, "start_s"), step_s = ts_json_number(o, "step_s");

	*ret = (struct ts_timeline){0};
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
