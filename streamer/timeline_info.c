// SPDX-License-Identifier: Apache-2.0
/*
 * Numbers stand side by side in one line: hundreds of slots of hundreds of rings, each number on a
 * line of its own, would be a file that nobody can look at.
 */
#include "streamer/timeline_info.h"

#include <inttypes.h>

#include "common/bytes.h"
#include "common/clock.h"

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
		json_object_object_add(o, ts_loss_name(cause), row);
		return;
	}
	json_object_put(row);
	ts_bytes_release(&text);
}

void timeline_info_put(struct json_object *ring, const struct ts_timeline *t)
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
