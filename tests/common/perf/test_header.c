// SPDX-License-Identifier: Apache-2.0
#include "common/perf/header.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BASE_TYPE                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static struct perf_event_attr software(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_type = BASE_TYPE,
		.sample_id_all = 1,
		.sample_max_stack = 77,
	};

	return attr;
}

static struct ts_events two_events(void)
{
	struct perf_event_attr clock = software(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr faults = software(PERF_COUNT_SW_PAGE_FAULTS);
	uint64_t clock_ids[] = {1001, 1002}, fault_ids[] = {2001, 2002};
	struct ts_events evs = {0};
	struct ts_error err;

	cr_assert_eq(ts_events_add(&evs, &clock, "my clock", clock_ids, 2, &err), 0);
	cr_assert_eq(ts_events_add(&evs, &faults, NULL, fault_ids, 2, &err), 0);
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	return evs;
}

static void fill_features(struct ts_feature_set *set)
{
	struct ts_bytes *b = ts_header_feature(set, TS_FEAT_NRCPUS);

	ts_bytes_u32(b, 8);
	ts_bytes_u32(b, 7);
	ts_header_put_string(ts_header_feature(set, TS_FEAT_HOSTNAME), "host.example");
	ts_bytes_u64(ts_header_feature(set, TS_FEAT_DIR_FORMAT), 1);
	ts_header_feature(set, TS_FEAT_BRANCH_STACK);
	b = ts_header_feature(set, TS_FEAT_COMPRESSED);
	for (uint32_t v = 0; v < 4; v++)
		ts_bytes_u32(b, v);
	ts_bytes_u32(b, 528384);
}

/* A file of two events, three records of 16 bytes and some features. */
static struct ts_bytes packed_file(void)
{
	struct perf_event_header records[6] = {[0] = {.type = 68, .size = 16},
					       [2] = {.type = 68, .size = 16},
					       [4] = {.type = 68, .size = 16}};
	struct ts_events evs = two_events();
	struct ts_feature_set set = {0};
	struct ts_bytes out = {0};
	struct ts_error err;

	fill_features(&set);
	cr_assert_eq(ts_header_pack(&evs, records, sizeof(records), &set, &out, &err), 0);
	ts_feature_set_release(&set);
	ts_events_release(&evs);
	return out;
}

static struct ts_header parsed(const struct ts_bytes *file)
{
	struct ts_error err = {0};
	struct ts_header h;

	cr_assert_eq(ts_header_parse(file->data, file->len, "f", &h, &err), 0, "%s", err.text);
	return h;
}

static void expect_refused(const struct ts_bytes *file, const char *sentence)
{
	struct ts_error err = {0};
	struct ts_header h;

	cr_assert_eq(ts_header_parse(file->data, file->len, "f", &h, &err), -EINVAL);
	cr_assert_str_eq(err.text, sentence);
}

static struct ts_file_header *header_of(struct ts_bytes *file)
{
	return (struct ts_file_header *)(void *)file->data;
}

/* --- packing and reading back --- */

Test(header, reads_back_the_events_that_it_packed)
{
	struct ts_bytes file = packed_file();
	struct ts_header h = parsed(&file);

	cr_assert_eq(h.events.nr, 2);
	cr_assert_str_eq(h.events.items[0].name, "my clock");
	cr_assert_str_eq(h.events.items[1].name, "page-faults:HG");
	cr_assert_eq(h.events.items[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	cr_assert_eq(h.events.items[1].attr.sample_max_stack, 77);
	cr_assert_eq(h.events.items[0].attr.size, TS_ATTR_SIZE);
	cr_assert_eq(h.events.items[0].nr_ids, 2);
	cr_assert_eq(ts_events_find(&h.events, 2002), 1);
	cr_assert_eq(ts_events_find(&h.events, 1001), 0);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header, reads_back_records_and_features)
{
	struct ts_bytes file = packed_file();
	struct ts_header h = parsed(&file);
	struct ts_cursor c = ts_header_feature_cursor(&h, TS_FEAT_HOSTNAME);
	const char *host;

	cr_assert_eq(h.data_size, 48);
	cr_assert_eq(h.data_offset, header_of(&file)->data.offset);
	cr_assert(!h.data_unfinished && !h.data_cut);
	cr_assert(h.is_directory);
	cr_assert_eq(h.nr_cpus_avail, 8);
	cr_assert_eq(h.compressed_mmap_len, 528384);
	cr_assert(ts_cursor_string(&c, &host));
	cr_assert_str_eq(host, "host.example");
	cr_assert_not_null(h.features[TS_FEAT_BRANCH_STACK].data);
	cr_assert_eq(h.features[TS_FEAT_BRANCH_STACK].size, 0);
	cr_assert_null(h.features[TS_FEAT_CMDLINE].data);
	cr_assert_eq(h.nr_bad_features, 0);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header, puts_the_feature_table_right_behind_the_records)
{
	struct ts_bytes file = packed_file();
	const struct ts_file_header *fh = header_of(&file);
	const uint8_t *table = file.data + fh->data.offset + fh->data.size;
	uint32_t len;

	cr_assert_eq(fh->size, 104);
	cr_assert_eq(fh->attr_size, 136);
	cr_assert_eq(fh->attrs.offset, 104 + 4 * 8);
	cr_assert_eq(fh->data.offset, 104 + 4 * 8 + 2 * 136);
	len = ts_record_load_u32(file.data + ts_record_load_u64(table));
	cr_assert_eq(len, 64, "HOSTNAME is the lowest bit; perf pads strings to 64");
	cr_assert_eq(ts_record_load_u64(table + 8), 68);
	ts_bytes_release(&file);
}

Test(header, never_packs_an_empty_run_of_records)
{
	struct ts_events evs = two_events();
	struct ts_bytes file = {0};
	struct ts_error err;
	struct ts_header h;

	cr_assert_eq(ts_header_pack(&evs, NULL, 0, NULL, &file, &err), 0);
	h = parsed(&file);
	cr_assert(!h.data_unfinished);
	cr_assert_eq(h.data_size, 80);
	cr_assert_str_eq(h.events.items[0].name, "my clock");
	ts_header_release(&h);
	ts_events_release(&evs);
	ts_bytes_release(&file);
}

/* --- other writers --- */

/*
 * A file as another perf would write it: one event whose attr has `size` bytes, with `said` as its
 * size field.
 */
static struct ts_bytes foreign_file(uint32_t size, uint32_t said)
{
	struct ts_file_header fh = {.magic = TS_PERF_MAGIC, .size = 104};
	struct perf_event_attr attr = software(PERF_COUNT_SW_TASK_CLOCK);
	struct ts_bytes b = {0};

	attr.size = said;
	attr.config1 = 0x11;
	attr.config2 = 0x22;
	fh.attr_size = size + 16;
	fh.attrs = (struct ts_file_section){104, size + 16};
	fh.data = (struct ts_file_section){104 + size + 16, 8};
	ts_bytes_put(&b, &fh, sizeof(fh));
	ts_bytes_put(&b, &attr, size < sizeof(attr) ? size : sizeof(attr));
	if (size > sizeof(attr))
		ts_bytes_zero(&b, size - sizeof(attr));
	ts_bytes_u64(&b, 0);
	ts_bytes_u64(&b, 0);
	ts_bytes_put(&b, &(struct perf_event_header){.type = 68, .size = 8}, 8);
	return b;
}

Test(header, reads_attrs_of_every_published_size_and_later_ones)
{
	uint32_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 512};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct ts_bytes file = foreign_file(sizes[i], sizes[i]);
		struct ts_header h = parsed(&file);
		struct ts_event *ev = &h.events.items[0];

		cr_assert_eq(ev->attr.config1, 0x11);
		cr_assert_eq(ev->attr.config2, sizes[i] >= 72 ? 0x22 : 0);
		cr_assert_eq(ev->attr.sample_max_stack, sizes[i] >= 112 ? 77 : 0);
		cr_assert_str_eq(ev->name, "task-clock:HG");
		cr_assert_eq(h.data_size, 8);
		ts_header_release(&h);
		ts_bytes_release(&file);
	}
}

Test(header, takes_attr_size_zero_for_the_first_published_one)
{
	struct ts_bytes file = foreign_file(64, 0);
	struct ts_header h = parsed(&file);

	cr_assert_eq(h.events.items[0].attr.size, 64);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header, refuses_an_attr_that_does_not_fit_its_entry)
{
	struct ts_bytes large = foreign_file(64, 120), small = foreign_file(120, 8);

	expect_refused(&large, "cannot read f: the attr size does not fit the entry of event 0");
	expect_refused(&small, "cannot read f: the attr size does not fit the entry of event 0");
	ts_bytes_release(&large);
	ts_bytes_release(&small);
}

Test(header, reads_the_header_without_feature_bitmap)
{
	struct ts_bytes file = packed_file();
	struct ts_header h;

	header_of(&file)->size = 72;
	h = parsed(&file);
	cr_assert_str_eq(h.events.items[0].name, "cpu-clock:HG");
	cr_assert(!h.is_directory);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header, takes_records_to_the_end_of_a_file_that_was_never_finished)
{
	struct ts_bytes file = packed_file();
	struct ts_header h;

	header_of(&file)->data.size = 0;
	h = parsed(&file);
	cr_assert(h.data_unfinished);
	cr_assert_eq(h.data_size, file.len - h.data_offset);
	cr_assert_null(h.features[TS_FEAT_HOSTNAME].data);
	cr_assert_str_eq(h.events.items[0].name, "cpu-clock:HG");
	ts_header_release(&h);
	ts_bytes_release(&file);
}

/* --- refused files, and the words of the refusals --- */

Test(header, says_what_kind_of_file_it_refuses)
{
	struct ts_bytes file = packed_file(), empty = {0};
	struct ts_file_header *fh = header_of(&file);

	fh->size = 103;
	expect_refused(&file, "cannot read f: its header has 103 bytes, known are 72 and 104");
	fh->size = file.len + 8 - file.len % 8;
	expect_refused(&file, "cannot read f: it ends within its header");
	fh->magic = TS_PERF_MAGIC_SWAPPED;
	expect_refused(&file,
		       "cannot read f: it was recorded on a machine of the other byte order");
	memcpy(&fh->magic, "PERFFILE", 8);
	expect_refused(&file, "cannot read f: it has the file format that perf used before Linux "
			      "2.6.36");
	fh->magic = 0;
	expect_refused(&file, "cannot read f: it is no perf.data file");
	expect_refused(&empty, "cannot read f: it is empty");
	ts_bytes_release(&file);
}

Test(header, refuses_events_outside_the_file)
{
	struct ts_bytes file = packed_file();
	struct ts_file_header *fh = header_of(&file);
	struct ts_file_header good = *fh;
	uint64_t ids_offset = fh->attrs.offset + TS_ATTR_SIZE, huge = UINT64_MAX - 3;

	fh->attr_size = 0;
	expect_refused(&file, "cannot read f: the size of its event entries is too small");
	*fh = good;
	fh->attrs.offset = file.len - 100;
	expect_refused(&file, "cannot read f: it ends within its events");
	*fh = good;
	fh->attrs.size = 100;
	expect_refused(&file, "cannot read f: it has no events");
	*fh = good;
	memcpy(file.data + ids_offset, &huge, 8);
	expect_refused(&file, "cannot read f: the file does not hold the ids of event 0");
	ts_bytes_release(&file);
}

Test(header, refuses_events_that_cannot_be_told_apart)
{
	struct ts_bytes file = packed_file();
	uint64_t no_id = PERF_SAMPLE_IP;

	memcpy(file.data + header_of(&file)->attrs.offset + 24, &no_id, 8);
	expect_refused(&file,
		       "cannot read f: cannot tell 2 events apart: their samples carry no id");
	ts_bytes_release(&file);
}

Test(header, refuses_an_unknown_directory_format)
{
	struct ts_events evs = two_events();
	struct ts_feature_set set = {0};
	struct ts_bytes file = {0};
	struct ts_error err;

	ts_bytes_u64(ts_header_feature(&set, TS_FEAT_DIR_FORMAT), 2);
	cr_assert_eq(ts_header_pack(&evs, NULL, 0, &set, &file, &err), 0);
	expect_refused(&file,
		       "cannot read f: version 2 of the directory format is unknown, known is 1");
	ts_feature_set_release(&set);
	ts_events_release(&evs);
	ts_bytes_release(&file);
}

/*
 * Many entries that point at the same ids must not cost memory that grows with the square of the
 * file.
 */
Test(header, refuses_ids_that_add_up_to_more_than_the_file)
{
	struct ts_bytes file = packed_file();
	const struct ts_file_header *fh = header_of(&file);
	struct ts_file_section all = {0, file.len / 8 * 8};

	for (uint64_t i = 0; i < 2; i++)
		memcpy(file.data + fh->attrs.offset + i * 136 + TS_ATTR_SIZE, &all, sizeof(all));
	expect_refused(&file, "cannot read f: the file does not hold the ids of event 1");
	ts_bytes_release(&file);
}

/* --- damage --- */

static uint64_t table_of(struct ts_bytes *file)
{
	return header_of(file)->data.offset + header_of(file)->data.size;
}

Test(header, leaves_out_a_feature_outside_the_file)
{
	struct ts_bytes file = packed_file();
	uint64_t beyond = file.len;
	struct ts_header h;

	memcpy(file.data + table_of(&file), &beyond, 8);
	h = parsed(&file);
	cr_assert_null(h.features[TS_FEAT_HOSTNAME].data);
	cr_assert_eq(h.nr_bad_features, 1);
	cr_assert_eq(h.nr_cpus_avail, 8);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header, keeps_derived_names_when_the_descriptions_are_malformed)
{
	struct ts_bytes file = packed_file();
	struct ts_header h = parsed(&file);
	uint8_t *desc = file.data + (h.features[TS_FEAT_EVENT_DESC].data - file.data);
	uint32_t huge = UINT32_MAX;

	ts_header_release(&h);
	memcpy(desc + 4, &huge, 4);
	h = parsed(&file);
	cr_assert_str_eq(h.events.items[0].name, "cpu-clock:HG");
	cr_assert_eq(h.nr_bad_features, 1);
	ts_header_release(&h);
	ts_bytes_release(&file);
}

Test(header, reads_what_is_left_of_a_file_cut_anywhere)
{
	struct ts_bytes file = packed_file();
	uint64_t events_end = header_of(&file)->data.offset, records_end = table_of(&file);

	for (size_t len = 0; len <= file.len; len++) {
		uint8_t *copy = malloc(len + 1);
		struct ts_error err = {0};
		struct ts_header h;
		int ret;

		memcpy(copy, file.data, len);
		ret = ts_header_parse(copy, len, "f", &h, &err);
		cr_assert_eq(ret, len < events_end ? -EINVAL : 0, "%zu: %s", len, err.text);
		if (!ret) {
			cr_assert_eq(h.data_cut, len < records_end);
			cr_assert(h.data_offset + h.data_size <= len);
			cr_assert_eq(h.nr_bad_features > 0, len < file.len - 4);
			ts_header_release(&h);
		}
		free(copy);
	}
	ts_bytes_release(&file);
}

Test(header, survives_any_word_set_to_any_value)
{
	uint64_t values[] = {0, 1, 8, 104, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
	struct ts_bytes file = packed_file();

	for (size_t at = 0; at + 8 <= file.len; at += 4) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			uint64_t saved = ts_record_load_u64(file.data + at);
			struct ts_error err;
			struct ts_header h;

			memcpy(file.data + at, &values[i], 8);
			if (!ts_header_parse(file.data, file.len, "f", &h, &err)) {
				cr_assert(h.data_offset + h.data_size <= file.len);
				ts_header_release(&h);
			}
			memcpy(file.data + at, &saved, 8);
		}
	}
	ts_bytes_release(&file);
}

Test(header, gives_strings_only_when_they_end_inside_the_payload)
{
	struct ts_bytes b = {0};
	struct ts_cursor c;
	const char *s = NULL;

	ts_bytes_u32(&b, 4);
	ts_bytes_put(&b, "abcd", 4);
	c = (struct ts_cursor){b.data, b.len};
	cr_assert(!ts_cursor_string(&c, &s));
	cr_assert_eq(c.left, b.len, "a refused getter does not move");
	b.data[7] = '\0';
	cr_assert(ts_cursor_string(&c, &s));
	cr_assert_str_eq(s, "abc");
	cr_assert_eq(c.left, 0);
	cr_assert(!ts_cursor_u32(&c, (uint32_t[1]){0}));
	ts_bytes_release(&b);
}
