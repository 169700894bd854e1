// SPDX-License-Identifier: Apache-2.0
#include "common/stream/timeline_json.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/base/clock.h"

static struct ts_timeline t, got;

static void parse(const char *text)
{
	struct ts_json *o = NULL;
	size_t offset;

	memset(&got, 0x5a, sizeof(got));
	ts_json_parse(text, strlen(text), SIZE_MAX, &o, &offset);
	ts_timeline_from_json(o, &got);
	ts_json_free(o);
}

Test(timeline_json, reads_what_it_writes)
{
	struct ts_json *o = ts_json_new();
	struct ts_bytes text = {0};

	for (uint64_t s = 1000; s < 1700; s += 3) {
		ts_timeline_add(&t, TS_LOSS_NONE, s, s * TS_NS_PER_SEC, s * TS_NS_PER_SEC + 5);
		ts_timeline_add(&t, TS_LOSS_DISK, s % 7, s * TS_NS_PER_SEC, s * TS_NS_PER_SEC);
	}
	ts_timeline_to_json(o, &t);
	cr_assert_eq(ts_json_print(o, &text), 0);
	ts_bytes_put(&text, "", 1);
	parse((const char *)text.data);
	cr_assert_eq(memcmp(&got, &t, sizeof(t)), 0, "%s", (const char *)text.data);
	cr_assert_null(strstr((const char *)text.data, "ring_full"));
	ts_json_free(o);
	ts_bytes_release(&text);
}

Test(timeline_json, writes_nothing_of_an_empty_one)
{
	struct ts_json *o = ts_json_new();

	ts_timeline_to_json(o, &t);
	ts_timeline_to_json(o, NULL);
	cr_assert_eq(ts_json_count(o), 0);
	ts_json_free(o);
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
