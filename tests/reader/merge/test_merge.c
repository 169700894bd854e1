// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/merge.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reader/check/relaid_stream.h"
#include "reader/order/ordered.h"
#include "tests/support/made_data.h"
#include "tests/support/records.h"
#include "tests/support/scratch.h"
#include "tests/support/task_records.h"

#define ID    77
#define CHAIN 200 /* most records of a made chunk */

static struct scratch scratch;
static struct merge merge;
static struct ts_error err;

static void enter_scratch(void)
{
	scratch_make(&scratch);
	cr_assert_eq(chdir(scratch.path), 0);
}

static void leave_scratch(void)
{
	merge_close(&merge);
	cr_assert_eq(chdir("/"), 0);
	scratch_remove(&scratch);
}

TestSuite(merge, .init = enter_scratch, .fini = leave_scratch);

/* The part that is being made; it has one stream. */
static struct ts_dir dir;
static struct relaid_stream laid;

static void begin_part(const char *path)
{
	cr_assert_eq(ts_dir_create(&dir, path, &err), 0, "%s", err.text);
	cr_assert_eq(relaid_stream_open(&laid, &dir, 0, &err), 0, "%s", err.text);
}

/* Adds a chunk of samples at [from, to). */
static void add_chunk(uint8_t recording, uint32_t cut, uint32_t ring, uint64_t from, uint64_t to)
{
	uint8_t payload[CHAIN * SAMPLE_BYTES];
	struct ts_chunk c = {.uuid = {recording},
			     .cut = cut,
			     .ring = ring,
			     .time_min_ns = from,
			     .time_max_ns = to - 1};

	for (uint64_t time = from; time < to; time++)
		c.payload_bytes += put_sample(payload + c.payload_bytes, ID, time, ring);
	c.raw_bytes = c.payload_bytes;
	c.nr_records = to - from;
	cr_assert_eq(relaid_stream_add(&laid, &c, payload, &err), 0);
}

/* Ends the part. `name` is the name of process 10 at its beginning. */
static void end_part(const char *name)
{
	const struct record_at at = {.pid = 10, .tid = 10};
	struct made_data made = {.nr_ids = 1, .is_directory = true, .has_sideband = true};
	struct ts_bytes records = {0}, file = {0};
	const uint64_t id = ID;

	put_comm(&records, &at, 0, name);
	made.ids = &id;
	made.records = records.data;
	made.records_bytes = records.len;
	cr_assert_eq(made_data_pack(&made, &file, &err), 0);
	cr_assert_eq(relaid_stream_finish(&laid, &err), 0);
	relaid_stream_close(&laid);
	cr_assert_eq(ts_dir_replace(&dir, TS_DIR_DATA, file.data, file.len, &err), 0);
	cr_assert_eq(ts_dir_publish(&dir, &err), 0, "%s", err.text);
	ts_dir_release(&dir);
	ts_bytes_release(&records);
	ts_bytes_release(&file);
}

static int merge_into(const char *out, const char *const *parts, size_t nr)
{
	int rc = merge_open(&merge, parts, nr, 2, NULL, NULL, &err);

	if (rc)
		return rc;
	cr_assert_eq(merge_choose_chunks(&merge, &err), 0, "%s", err.text);
	cr_assert_eq(merge_gather_data(&merge, &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_create(&dir, out, &err), 0, "%s", err.text);
	cr_assert_eq(merge_directory(&merge, &dir, &err), 0, "%s", err.text);
	cr_assert_eq(ts_dir_publish(&dir, &err), 0, "%s", err.text);
	ts_dir_release(&dir);
	merge_close(&merge);
	return 0;
}

/* The times of all samples of a ring in the order of the stream: "1 2 3 ". */
static const char *times_in(const char *path, uint32_t ring)
{
	static char text[4096];
	struct capture c = {0};
	struct chunk_table t = {0};
	struct chunk_buffer buf = {0};
	size_t len = 0;

	cr_assert_eq(capture_open(&c, path, &err), 0, "%s", err.text);
	cr_assert_eq(chunk_table_open(&t, &c, 1, 0, NULL, &err), 0);
	cr_assert_eq(t.damage.nr, 0);
	*text = '\0';
	for (size_t i = 0; i < t.nr; i++) {
		const struct perf_event_header *hdr;
		const uint8_t *records;
		struct chunk_walk walk;
		size_t bytes;

		if (!t.chunks[i].header_bytes || t.chunks[i].ring != ring)
			continue;
		cr_assert_eq(chunk_load(&t, &t.chunks[i], &buf, &records, &bytes, &err), 0);
		walk = (struct chunk_walk){records, records + bytes};
		while ((hdr = chunk_walk_next(&walk)))
			len += (size_t)snprintf(
				text + len, sizeof(text) - len, "%llu ",
				(unsigned long long)ts_record_load_u64((const uint8_t *)hdr + 32));
	}
	chunk_buffer_release(&buf);
	chunk_table_close(&t);
	capture_close(&c);
	return text;
}

/* The names of process 10 in `data` with their times: "0 one 9 two ". */
static const char *names_in(const char *path)
{
	static char text[512];
	struct chunk_walk walk;
	const struct perf_event_header *hdr;
	struct capture c = {0};
	size_t len = 0;

	cr_assert_eq(capture_open(&c, path, &err), 0, "%s", err.text);
	walk = (struct chunk_walk){c.streams[0].map.data + c.streams[0].begin,
				   c.streams[0].map.data + c.streams[0].end};
	*text = '\0';
	while ((hdr = chunk_walk_next(&walk))) {
		struct ts_sample_id sid;

		if (ts_record_load_u32(hdr) != PERF_RECORD_COMM)
			continue;
		cr_assert_eq(ts_decode_trailer(&c.header.events, hdr, &sid), TS_DECODE_OK);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%llu %s ",
					(unsigned long long)sid.time_ns, (const char *)hdr + 16);
	}
	capture_close(&c);
	return text;
}

static const char *const both[] = {"b", "a"};

Test(merge, keeps_a_chunk_of_two_snapshots_once)
{
	begin_part("a");
	add_chunk(1, 0, 3, 10, 12);
	add_chunk(1, 0, 3, 12, 14);
	end_part("one");
	begin_part("b");
	add_chunk(1, 1, 3, 12, 14);
	add_chunk(1, 1, 3, 14, 16);
	end_part("one");
	cr_assert_eq(merge_into("out", both, 2), 0, "%s", err.text);
	cr_assert_str_eq(times_in("out", 3), "10 11 12 13 14 15 ");
}

Test(merge, keeps_the_sound_one_of_two_at_the_place_of_the_first)
{
	const off_t in_second_payload = 2 * TS_CHUNK_HEADER_BYTES + 2 * SAMPLE_BYTES + 4;
	int fd;

	begin_part("a");
	add_chunk(1, 0, 3, 10, 12);
	add_chunk(1, 0, 3, 12, 14);
	add_chunk(1, 0, 3, 14, 16);
	end_part("one");
	fd = open("a/data.0", O_WRONLY);
	cr_assert_eq(pwrite(fd, "x", 1, in_second_payload), 1);
	close(fd);
	begin_part("b");
	add_chunk(1, 1, 3, 12, 14);
	end_part("one");
	cr_assert_eq(merge_into("out", both, 2), 0, "%s", err.text);
	cr_assert_str_eq(times_in("out", 3), "10 11 12 13 14 15 ");
}

Test(merge, puts_a_chunk_that_one_copy_lacks_into_its_place)
{
	begin_part("a");
	add_chunk(1, 0, 3, 10, 12);
	add_chunk(1, 0, 3, 14, 16);
	add_chunk(1, 0, 3, 16, 18);
	end_part("one");
	begin_part("b");
	add_chunk(1, 0, 3, 10, 12);
	add_chunk(1, 0, 3, 12, 14);
	add_chunk(1, 0, 3, 14, 16);
	end_part("one");
	cr_assert_eq(merge_into("out", both, 2), 0, "%s", err.text);
	cr_assert_str_eq(times_in("out", 3), "10 11 12 13 14 15 16 17 ");
}

Test(merge, keeps_a_record_of_two_snapshots_once)
{
	begin_part("a");
	add_chunk(1, 0, 3, 10, 20);
	end_part("one");
	begin_part("b");
	add_chunk(1, 1, 3, 15, 18);
	add_chunk(1, 1, 3, 18, 23);
	end_part("one");
	cr_assert_eq(merge_into("out", both, 2), 0, "%s", err.text);
	cr_assert_str_eq(times_in("out", 3), "10 11 12 13 14 15 16 17 18 19 20 21 22 ");
}

Test(merge, keeps_the_same_times_of_two_rings)
{
	begin_part("a");
	add_chunk(1, 0, 3, 10, 12);
	end_part("one");
	begin_part("b");
	add_chunk(1, 0, 4, 10, 12);
	end_part("one");
	cr_assert_eq(merge_into("out", both, 2), 0, "%s", err.text);
	cr_assert_str_eq(times_in("out", 3), "10 11 ");
	cr_assert_str_eq(times_in("out", 4), "10 11 ");
}

Test(merge, puts_a_part_between_two_that_were_merged)
{
	const char *const first[] = {"a", "c"}, *const then[] = {"out", "b", "a"};

	begin_part("a");
	add_chunk(1, 0, 3, 10, 12);
	end_part("one");
	begin_part("b");
	add_chunk(1, 1, 3, 12, 14);
	end_part("two");
	begin_part("c");
	add_chunk(1, 2, 3, 14, 16);
	end_part("three");
	cr_assert_eq(merge_into("out", first, 2), 0, "%s", err.text);
	cr_assert_str_eq(names_in("out"), "0 one 13 three ");
	cr_assert_eq(merge_into("again", then, 3), 0, "%s", err.text);
	cr_assert_str_eq(times_in("again", 3), "10 11 12 13 14 15 ");
	cr_assert_str_eq(names_in("again"), "0 one 13 three 11 two ");
}

Test(merge, leaves_out_a_part_that_has_nothing_new)
{
	begin_part("a");
	add_chunk(1, 0, 3, 10, 12);
	add_chunk(1, 0, 3, 12, 14);
	end_part("one");
	begin_part("b");
	add_chunk(1, 1, 3, 12, 14);
	end_part("two");
	cr_assert_eq(merge_into("out", both, 2), 0, "%s", err.text);
	cr_assert_str_eq(names_in("out"), "0 one ");
}

Test(merge, keeps_a_stream_without_chunks)
{
	struct ts_stream_file file;
	struct capture c;
	struct ts_footer footer;

	begin_part("a");
	cr_assert_eq(ts_dir_create_stream(&dir, 4, TS_STREAM_BUFFERED, &file, &err), 0);
	ts_stream_file_close(&file);
	add_chunk(1, 0, 3, 10, 12);
	end_part("one");
	cr_assert_eq(merge_into("out", both + 1, 1), 0, "%s", err.text);
	cr_assert_eq(capture_open(&c, "out", &err), 0);
	cr_assert_eq(c.nr_streams, 3);
	cr_assert_str_eq(c.streams[2].path, "out/data.4");
	cr_assert_eq(ts_footer_last(c.streams[2].map.data, c.streams[2].map.len, &footer),
		     TS_FOUND_OK);
	capture_close(&c);
}

Test(merge, refuses_another_recording)
{
	begin_part("a");
	add_chunk(1, 0, 3, 10, 12);
	end_part("one");
	begin_part("b");
	add_chunk(2, 0, 3, 12, 14);
	end_part("one");
	cr_assert_eq(merge_into("out", both, 2), -EINVAL);
	cr_assert_str_eq(err.text, "cannot merge a with b: they are of different recordings");
	cr_assert_str_eq(err.hint, "read both together with 'tstream report -i b -i a'");
}
