// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/account.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/directory/capture_note.h"
#include "common/stream/stream_index.h"

static void parse_n(struct account *ret, const char *text, size_t len)
{
	struct ts_json *note;
	size_t offset;

	ts_capture_note_parse(&note, text, len, &offset);
	cr_assert_eq(account_take(ret, note), 0);
	ts_json_free(note);
}

static void parse(struct account *ret, const char *text)
{
	parse_n(ret, text, strlen(text));
}

Test(account, takes_streams_and_losses_of_a_complete_recording)
{
	struct account a;

	parse(&a, "{\"state\":\"complete\",\"writers\":[{\"stream\":\"data.0\",\"stream_bytes\":"
		  "8192},{\"stream\":\"data.12\",\"stream_bytes\":4096}],"
		  "\"ledger\":{\"lost\":{\"ring_full\":7,\"compression\":8,\"disk\":9}},\"self\":{"
		  "\"samples\":5}}");
	cr_expect(a.is_complete);
	cr_assert_eq(a.nr_streams, 2);
	cr_expect_str_eq(a.streams[0].name, "data.0");
	cr_expect_eq(a.streams[0].bytes, 8192);
	cr_expect_str_eq(a.streams[1].name, "data.12");
	cr_expect_eq(a.lost_ring_full, 7);
	cr_expect_eq(a.lost_compression, 8);
	cr_expect_eq(a.lost_disk, 9);
	cr_expect_eq(a.own_samples, 5);
	account_release(&a);
}

Test(account, expects_no_streams_of_a_recording_that_was_killed)
{
	struct account a;

	parse(&a, "{\"state\":\"recording\",\"writers\":[{\"stream\":\"data.0\"}]}");
	cr_expect_not(a.is_complete);
	cr_expect_eq(a.nr_streams, 0);
	account_release(&a);
}

Test(account, takes_when_cpus_were_not_recorded)
{
	struct account a;

	parse(&a, "{\"state\":\"complete\",\"absences\":[{\"cpu\":3,\"cause\":\"offline\","
		  "\"from_s\":1.5,\"to_s\":2},{\"cpu\":7,\"cause\":\"online after the start\","
		  "\"from_s\":0.25},null,{\"cpu\":-1},{\"cpu\":1,\"cause\":3}]}");
	cr_assert_eq(a.nr_absences, 2);
	cr_expect_eq(a.absences[0].cpu, 3);
	cr_expect_not(a.absences[0].is_late);
	cr_expect_eq(a.absences[0].from_s, 1.5);
	cr_expect_eq(a.absences[0].to_s, 2);
	cr_expect_eq(a.absences[1].cpu, 7);
	cr_expect(a.absences[1].is_late);
	cr_expect_lt(a.absences[1].to_s, 0);
	account_release(&a);
}

Test(account, ignores_nonsense)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"7",
		"\"complete\"",
		"{\"state\":[\"complete\"]}",
		"{\"state\":\"complete\",\"writers\":{\"stream\":\"data.0\"}}",
		"{\"state\":\"complete\",\"writers\":[null,3,[],{},{\"stream\":5},"
		"{\"stream\":\"../data.0\"},{\"stream\":\"data.\"},{\"stream\":\"data.00\"},"
		"{\"stream\":\"data.1\\u001b\"},{\"stream\":\"data.123456789\"}]}",
		"{\"ledger\":{\"lost\":[1,2]}}",
		"{\"ledger\":{\"lost\":{\"disk\":-5}}}",
		"{\"ledger\":{\"lost\":{\"disk\":\"5\"}}}"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct account a;

		parse(&a, texts[i]);
		cr_expect_eq(a.nr_streams, 0, "%s", texts[i]);
		cr_expect_eq(a.lost_ring_full + a.lost_disk, 0, "%s", texts[i]);
		account_release(&a);
	}
}

Test(account, ignores_deep_nesting_and_what_is_too_large)
{
	size_t len = (32u << 20) + 1;
	char *text = malloc(len);
	struct account a;

	cr_assert(text);
	memset(text, '[', len);
	parse_n(&a, text, len - 1);
	cr_expect_not(a.is_complete);
	memset(text, ' ', len);
	memcpy(text, "{\"state\":\"complete\"}", 20);
	parse_n(&a, text, len - 1);
	cr_expect(a.is_complete);
	account_release(&a);
	parse_n(&a, text, len);
	cr_expect_not(a.is_complete);
	free(text);
}

/* A capture with one stream, data.0, of `len` bytes that end in a footer. */
static uint8_t *make_stream(struct capture *c, struct capture_stream streams[2], size_t len)
{
	uint8_t *data = calloc(1, len);
	struct ts_footer footer = {.offset = len - TS_FOOTER_BYTES, .index_offset = TS_NO_OFFSET};

	cr_assert(data);
	ts_footer_pack(&footer, data + footer.offset);
	streams[0] = (struct capture_stream){.path = (char *)"cap/data"};
	streams[1] = (struct capture_stream){.path = (char *)"cap/data.0", .map = {data, len}};
	*c = (struct capture){.streams = streams, .nr_streams = 2};
	return data;
}

/* `nr` times `item`, between `before` and `after`. */
static void parse_list(struct account *ret, const char *before, const char *item, size_t nr,
		       const char *after)
{
	size_t len = strlen(item), at = strlen(before);
	char *text = malloc(at + nr * len + strlen(after) + 1);

	strcpy(text, before);
	for (size_t i = 0; i < nr; i++, at += len)
		memcpy(text + at, item, len);
	strcpy(text + at, after);
	parse_n(ret, text, strlen(text));
	free(text);
}

Test(account, ignores_a_text_that_takes_far_more_memory_than_it_is_long)
{
	struct account a;

	parse_list(&a, "{\"state\":\"complete\",\"x\":[", "{},", 1000, "{}]}");
	cr_expect(a.is_complete);
	account_release(&a);
	parse_list(&a, "{\"state\":\"complete\",\"x\":[", "0,", 12000000, "0]}");
	cr_expect_not(a.is_complete);
	account_release(&a);
}

Test(account, takes_no_more_rings_than_there_can_be)
{
	const char *before = "{\"state\":\"complete\",\"ledger\":{\"lost_at_unknown_time\":0},"
			     "\"rings\":[";
	struct account a;

	parse_list(&a, before, "{\"kind\":\"\"},", 3, "{\"kind\":\"\"}]}");
	cr_expect_eq(a.nr_rings, 4);
	account_release(&a);
	parse_list(&a, before, "{\"kind\":\"\"},", ACCOUNT_RINGS_MAX, "{\"kind\":\"\"}]}");
	cr_expect(a.is_complete);
	cr_expect_eq(a.nr_rings, 0);
	account_release(&a);
}

Test(account, tells_what_is_missing_of_a_stream)
{
	struct account_stream here = {.name = "data.0", .bytes = 4096};
	struct account_stream gone = {.name = "data.1", .bytes = 96};
	struct capture_stream streams[2];
	struct capture c;
	uint8_t *data = make_stream(&c, streams, 4096);
	uint64_t missing;

	cr_expect_eq(account_check(&here, &c, &missing), ACCOUNT_SOUND);
	cr_expect_eq(missing, 0);
	cr_expect_eq(account_check(&gone, &c, &missing), ACCOUNT_MISSING);
	cr_expect_eq(missing, 96);
	streams[1].map.len = 2051;
	cr_expect_eq(account_check(&here, &c, &missing), ACCOUNT_SHORT);
	cr_expect_eq(missing, 2045);
	streams[1].map.len = 4096;
	data[4095] ^= 1;
	cr_expect_eq(account_check(&here, &c, &missing), ACCOUNT_NO_END);
	here.bytes = 0;
	streams[1].map = (struct map){0};
	cr_expect_eq(account_check(&here, &c, &missing), ACCOUNT_NO_END);
	free(data);
}
