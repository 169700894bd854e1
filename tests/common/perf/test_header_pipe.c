// SPDX-License-Identifier: Apache-2.0
#include "common/perf/header.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put_header(struct ts_bytes *b, uint32_t type, size_t body)
{
	struct perf_event_header h = {.type = type, .size = (uint16_t)(sizeof(h) + body)};

	ts_bytes_put(b, &h, sizeof(h));
}

static void put_attr(struct ts_bytes *b, uint64_t config, uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = config,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
	};

	put_header(b, TS_RECORD_HEADER_ATTR, attr.size + 16);
	ts_bytes_put(b, &attr, attr.size);
	ts_bytes_u64(b, id);
	ts_bytes_u64(b, id + 1);
}

static void put_update(struct ts_bytes *b, uint64_t type, uint64_t id, const char *name)
{
	put_header(b, TS_RECORD_EVENT_UPDATE, 24);
	ts_bytes_u64(b, type);
	ts_bytes_u64(b, id);
	ts_bytes_put(b, name, 8);
}

static void put_build_id(struct ts_bytes *b, const char *name)
{
	put_header(b, TS_RECORD_BUILD_ID, 28 + 8);
	ts_bytes_zero(b, 28);
	ts_bytes_put(b, name, 8);
}

static void begin(struct ts_bytes *b)
{
	ts_bytes_u64(b, TS_PERF_MAGIC);
	ts_bytes_u64(b, TS_PIPE_HEADER_BYTES);
}

/* Two events, some features, formats behind their record, samples. */
static struct ts_bytes piped(void)
{
	struct ts_bytes b = {0};

	begin(&b);
	put_attr(&b, PERF_COUNT_SW_CPU_CLOCK, 10);
	put_attr(&b, PERF_COUNT_SW_PAGE_FAULTS, 20);
	put_header(&b, TS_RECORD_FEATURE, 8 + 8);
	ts_bytes_u64(&b, TS_FEAT_NRCPUS);
	ts_bytes_u32(&b, 8);
	ts_bytes_u32(&b, 7);
	put_header(&b, TS_RECORD_FEATURE, 8);
	ts_bytes_u64(&b, TS_FEAT_CPU_DOMAIN_INFO);
	put_header(&b, TS_RECORD_TRACING_DATA, 4);
	ts_bytes_u32(&b, 16);
	ts_bytes_put(&b, "formats.........", 16);
	put_update(&b, 2, 21, "faults\0");
	put_update(&b, 0, 10, "a unit\0");
	put_build_id(&b, "/a/file");
	put_header(&b, PERF_RECORD_SAMPLE, 16);
	ts_bytes_u64(&b, 10);
	ts_bytes_u64(&b, 1000);
	put_build_id(&b, "/b/file");
	return b;
}

static struct ts_header parsed(const struct ts_bytes *b)
{
	struct ts_error err = {0};
	struct ts_header h;

	cr_assert_eq(ts_header_parse(b->data, b->len, "p", &h, &err), 0, "%s", err.text);
	return h;
}

Test(header_pipe, finds_events_with_their_ids_and_names)
{
	struct ts_bytes b = piped();
	struct ts_header h = parsed(&b);

	cr_assert(h.is_pipe && h.data_unfinished && !h.data_cut);
	cr_assert_eq(h.events.nr, 2);
	cr_assert_str_eq(h.events.items[0].name, "cpu-clock:HG");
	cr_assert_str_eq(h.events.items[1].name, "faults");
	cr_assert_eq(h.events.items[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	cr_assert_eq(ts_events_find(&h.events, 21), 1);
	cr_assert_eq(h.data_offset, 16);
	cr_assert_eq(h.data_size, b.len - 16);
	ts_header_release(&h);
	ts_bytes_release(&b);
}

Test(header_pipe, finds_features)
{
	struct ts_bytes b = piped();
	struct ts_header h = parsed(&b);
	struct ts_cursor c = ts_header_feature_cursor(&h, TS_FEAT_TRACING_DATA);

	cr_assert_eq(h.nr_cpus_avail, 8);
	cr_assert_eq(c.left, 16);
	cr_assert_eq(memcmp(c.at, "formats", 7), 0);
	cr_assert_null(h.features[TS_FEAT_CPU_DOMAIN_INFO].data, "the end mark is no feature");
	c = ts_header_feature_cursor(&h, TS_FEAT_BUILD_ID);
	cr_assert_eq(c.left, 2 * 44);
	cr_assert_str_eq((const char *)c.at + 36, "/a/file");
	cr_assert_str_eq((const char *)c.at + 44 + 36, "/b/file");
	ts_header_release(&h);
	ts_bytes_release(&b);
}

Test(header_pipe, passes_over_attrs_that_are_malformed)
{
	struct ts_bytes b = {0};
	struct ts_header h;
	uint32_t size;

	begin(&b);
	put_header(&b, TS_RECORD_HEADER_ATTR, 8);
	ts_bytes_u64(&b, 0);
	put_attr(&b, 0, 1);
	put_attr(&b, 1, 3);
	size = 5000;
	memcpy(b.data + 16 + 16 + 8 + 4, &size, sizeof(size));
	h = parsed(&b);
	cr_assert_eq(h.events.nr, 1);
	cr_assert_eq(h.events.items[0].attr.config, 1);
	ts_header_release(&h);
	ts_bytes_release(&b);
}

Test(header_pipe, is_refused_without_events)
{
	uint64_t header[] = {TS_PERF_MAGIC, TS_PIPE_HEADER_BYTES};
	struct ts_error err;
	struct ts_header h;

	cr_assert_eq(ts_header_parse(header, sizeof(header), "p", &h, &err), -EINVAL);
	cr_assert_str_eq(err.text, "cannot read p: it was written to a pipe and has no events");
}

Test(header_pipe, reads_what_is_left_of_one_cut_anywhere)
{
	struct ts_bytes b = piped();

	for (size_t len = 16; len <= b.len; len++) {
		uint8_t *exact = malloc(len);
		struct ts_error err;
		struct ts_header h;

		cr_assert_not_null(exact);
		memcpy(exact, b.data, len);
		if (!ts_header_parse(exact, len, "p", &h, &err)) {
			cr_assert_eq(h.data_size, len - 16);
			ts_header_release(&h);
		} else {
			cr_assert_lt(len, 16 + 8 + 112 + 16);
		}
		free(exact);
	}
	ts_bytes_release(&b);
}

Test(header_pipe, counts_attrs_with_what_is_not_known)
{
	struct ts_bytes b = {0};
	struct ts_header h;
	uint64_t type = 1ull << 40 | PERF_SAMPLE_IDENTIFIER;

	begin(&b);
	put_attr(&b, 0, 1);
	memcpy(b.data + 16 + 8 + 24, &type, sizeof(type));
	h = parsed(&b);
	cr_assert_eq(h.nr_newer_attrs, 1);
	ts_header_release(&h);
	ts_bytes_release(&b);
}
