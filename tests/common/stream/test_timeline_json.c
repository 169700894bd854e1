// SPDX-License-Identifier: Apache-2.0
#include "common/stream/timeline_json.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/base/clock.h"

static struct ts_timeline t, got;

static void parse(const char *text)
{
	struct json_object *o = json_tokener_parse(text);

	memset(&got, 0x5a, sizeof(got));
	ts_timeline_from_json(o, &got);
	json_object_put(o);
}

Test(timeline_json, reads_what_it_writes)
{
	struct json_object *o = json_object_new_object();
	char *text;

	for (uint64_t s = 1000; s < 1700; s += 3) {
		ts_timeline_add(&t, TS_LOSS_NONE, s, s * TS_NS_PER_SEC, s * TS_NS_PER_SEC + 5);
		ts_timeline_add(&t, TS_LOSS_DISK, s % 7, s * TS_NS_PER_SEC, s * TS_NS_PER_SEC);
	}
	ts_timeline_to_json(o, &t);
	text = strdup(json_object_to_json_string(o));
	parse(text);
	cr_assert_eq(memcmp(&got, &t, sizeof(t)), 0, "%s", text);
	cr_assert_null(strstr(text, "ring_full"));
	json_object_put(o);
	free(text);
}

Test(timeline_json, writes_nothing_of_an_empty_one)
{
	struct json_object *o = json_object_new_object();

	ts_timeline_to_json(o, &t);
	ts_timeline_to_json(o, NULL);
	cr_assert_str_eq(json_object_to_json_string(o), "{ }");
	json_object_put(o);
}

Test(timeline_json, leaves_out_what_makes_no_sense)
{
	static const char *const texts[] = {
		"7",
		"[]",
		"{}",
		"{\"times\":[]}",
		"{\"times\":{}}",
		"{\"times\":{\"start_s\":5,\"kept\":[1]}}",
		"{\"times\":{\"start_s\":5,\"step_s\":0,\"kept\":[1]}}",
		"{\"times\":{\"start_s\":5,\"step_s\":3,\"kept\":[1]}}",
		"{\"times\":{\"start_s\":5,\"step_s\":-1,\"kept\":[1]}}",
		"{\"times\":{\"start_s\":5,\"step_s\":1125899906842624,\"kept\":[1]}}",
		"{\"times\":{\"start_s\":9223372036854775807,\"step_s\":1,\"kept\":[1]}}",
		"{\"times\":{\"start_s\":5,\"step_s\":1,\"kept\":{}}}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		parse(texts[i]);
		cr_expect_eq(got.nr, 0, "%s", texts[i]);
	}
	parse("{\"times\":{\"start_s\":6,\"step_s\":2,\"kept\":[1,\"x\",-3,4]}}");
	cr_assert_eq(got.nr, 4);
	cr_assert_eq(got.first, 3);
	cr_assert_eq(got.slots[3].nr[TS_LOSS_NONE], 4);
	cr_assert_eq(ts_timeline_sum(&got, TS_LOSS_NONE), 5);
}
