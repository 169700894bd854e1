// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/chunk_load.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/stream/compress.h"
#include "reader/order/replay.h"
#include "tests/support/made_capture.h"

static struct made_capture m;
static struct chunk_table t;
static struct chunk_buffer buf;
static struct ts_error err;
static struct map file; /* stream 1, as a file */
static int fd = -1;

static void init(void)
{
	made_capture_init(&m, 2);
}

static void fini(void)
{
	chunk_table_close(&t);
	chunk_buffer_release(&buf);
	map_close(&file);
	if (fd >= 0)
		close(fd);
	made_capture_release(&m);
}

TestSuite(chunk_load, .init = init, .fini = fini);

/* Opens the table of the made capture; stream 1 is a file. */
static void open_table(void)
{
	const struct ts_bytes *b = &m.bytes[1];

	fd = memfd_create("stream", MFD_CLOEXEC);
	cr_assert_eq(write(fd, b->data, b->len), (ssize_t)b->len);
	cr_assert_eq(map_open_fd(&file, fd, "data.0", &err), 0);
	made_capture_finish(&m);
	m.streams[1].map = file;
	cr_assert_eq(chunk_table_open(&t, &m.capture, 1, 0, NULL, &err), 0, "%s", err.text);
}

static bool is_in_file(const uint8_t *at)
{
	return at >= file.data && at < file.data + file.len;
}

Test(chunk_load, reads_what_is_mapped)
{
	const uint8_t *mapped, *read;
	size_t mapped_len, read_len;

	made_chunk(&m, 1, 10, 100, 0);
	made_chunk(&m, 1, 20, 200, 1);
	open_table();
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(chunk_load(&t, &t.chunks[i], &buf, &mapped, &mapped_len, &err), 0);
		cr_assert_eq(chunk_read(&t, &t.chunks[i], &buf, &read, &read_len, &err), 0);
		cr_assert(is_in_file(mapped));
		cr_assert(!is_in_file(read));
		cr_assert_eq(read_len, mapped_len);
		cr_assert(!memcmp(read, mapped, read_len));
	}
}

Test(chunk_load, maps_what_is_no_file_or_has_no_descriptor)
{
	const uint8_t *records;
	size_t len;

	made_chunk(&m, 1, 10, 100, 0);
	open_table();
	m.streams[1].map.fd = 0;
	cr_assert_eq(chunk_read(&t, &t.chunks[0], &buf, &records, &len, &err), 0);
	cr_assert(is_in_file(records));
}

Test(chunk_load, names_a_chunk_whose_payload_changed_and_no_other)
{
	const uint8_t *records;
	size_t len;
	uint64_t first = made_chunk(&m, 1, 10, 100, 0);

	made_chunk(&m, 1, 20, 200, 1);
	m.bytes[1].data[first + 77] ^= 1;
	open_table();
	cr_assert_eq(chunk_load(&t, &t.chunks[0], &buf, &records, &len, &err), CHUNK_SALVAGED);
	cr_assert_eq(chunk_damaged(&t.chunks[0], &buf, &err).offset, first - TS_CHUNK_HEADER_BYTES);
	cr_assert_eq(chunk_load(&t, &t.chunks[1], &buf, &records, &len, &err), 0);
	cr_assert_eq(len, 20 * 64);
}

Test(chunk_load, gives_what_looks_sound_of_a_chunk_that_changed)
{
	const uint8_t *records;
	size_t len;
	uint64_t payload = made_chunk(&m, 1, 10, 100, 0);

	open_table();
	cr_assert_eq(pwrite(fd, "x", 1, (off_t)payload + 77), 1);
	cr_assert_eq(chunk_read(&t, &t.chunks[0], &buf, &records, &len, &err), CHUNK_SALVAGED);
	cr_assert_str_eq(err.text,
			 "its checksum does not match, but 10 of its 10 records look sound");
	cr_assert_eq(len, 10 * 64);
	cr_assert_eq(chunk_damaged(&t.chunks[0], &buf, &err).nr_doubtful, 10);
	cr_assert_eq(chunk_damaged(&t.chunks[0], &buf, &err).bytes, 0);
}

/* Writes at `off` of the only chunk's payload, and expects that so many of its 10 records remain. */
static void expect_salvaged(uint64_t off, const void *bytes, size_t nr_bytes, uint64_t nr)
{
	const uint8_t *records;
	size_t len;
	uint64_t payload = made_chunk(&m, 1, 10, 100, 0);

	open_table();
	cr_assert_eq(pwrite(fd, bytes, nr_bytes, (off_t)(payload + off)), (ssize_t)nr_bytes);
	cr_assert_eq(chunk_load(&t, &t.chunks[0], &buf, &records, &len, &err), CHUNK_SALVAGED);
	cr_assert_eq(buf.nr_salvaged, nr);
	cr_assert_eq(len, nr * 64);
	cr_assert_eq(chunk_damaged(&t.chunks[0], &buf, &err).bytes, (10 - nr) * 64);
}

Test(chunk_load, leaves_out_a_record_of_a_wrong_size)
{
	expect_salvaged(64 + 6, (uint16_t[]){128}, 2, 9);
}

Test(chunk_load, leaves_out_a_record_of_a_wrong_type)
{
	expect_salvaged(5 * 64, (uint32_t[]){0x10009}, 4, 9);
}

Test(chunk_load, leaves_out_the_last_record_of_a_wrong_size)
{
	expect_salvaged(9 * 64 + 6, (uint16_t[]){72}, 2, 9);
}

Test(chunk_load, leaves_out_a_record_of_a_time_that_the_header_does_not_have)
{
	expect_salvaged(3 * 64 + 32, (uint64_t[]){1ull << 40}, 8, 9);
}

Test(chunk_load, leaves_out_a_record_that_became_a_cover)
{
	const struct perf_event_header cover = {TS_RECORD_EVENT_TYPE, TS_MISC_COVER, 64};

	expect_salvaged(5 * 64, &cover, sizeof(cover), 9);
}

/* Makes the n-th record of a chunk of samples a cover, of 64 bytes. */
static void cover_record(uint64_t payload, size_t n)
{
	const struct perf_event_header cover = {TS_RECORD_EVENT_TYPE, TS_MISC_COVER, 64};

	memcpy(m.bytes[1].data + payload + n * 64, &cover, sizeof(cover));
}

Test(chunk_load, takes_a_chunk_for_torn_if_covers_reach_up_to_the_end)
{
	const uint8_t *records;
	size_t len;
	uint64_t payload = made_chunk(&m, 1, 10, 100, 0);

	for (size_t i = 6; i < 10; i++)
		cover_record(payload, i);
	open_table();
	cr_assert(t.chunks[0].flags & CHUNK_TORN);
	cr_assert_eq(chunk_load(&t, &t.chunks[0], &buf, &records, &len, &err), 0);
	cr_assert_eq(len, 6 * 64);
}

Test(chunk_load, takes_no_chunk_for_torn_for_a_single_cover)
{
	const uint8_t *records;
	size_t len;

	cover_record(made_chunk(&m, 1, 10, 100, 0), 6);
	open_table();
	cr_assert_eq(chunk_load(&t, &t.chunks[0], &buf, &records, &len, &err), CHUNK_SALVAGED);
	cr_assert_eq(buf.nr_salvaged, 9);
}

/* Loads the only chunk, which is torn; returns the records that it has, by 64 bytes each. */
static size_t load_torn(int wanted)
{
	const uint8_t *records;
	size_t len;

	open_table();
	cr_assert(t.chunks[0].flags & CHUNK_TORN);
	cr_assert_eq(chunk_load(&t, &t.chunks[0], &buf, &records, &len, &err), wanted, "%s",
		     err.text);
	return len / 64;
}

Test(chunk_load, reads_a_torn_chunk_up_to_its_last_whole_record)
{
	made_chunk(&m, 1, 10, 100, 0);
	m.bytes[1].len -= 100;
	cr_assert_eq(load_torn(0), 8);
}

Test(chunk_load, names_a_wrong_size_in_a_torn_chunk)
{
	uint64_t payload = made_chunk(&m, 1, 10, 100, 0);

	m.bytes[1].len -= 100;
	m.bytes[1].data[payload + 2 * 64 + 7] = 0x80; /* beyond the end */
	cr_assert_eq(load_torn(CHUNK_SALVAGED), 7);
	cr_assert_str_eq(err.text, "a record of it is damaged, and its recorder did not complete "
				   "it, but 7 of its 10 records look sound");
}

Test(chunk_load, names_a_wrong_time_in_a_torn_chunk)
{
	uint64_t payload = made_chunk(&m, 1, 10, 100, 0);

	m.bytes[1].len -= 100;
	m.bytes[1].data[payload + 2 * 64 + 37] = 0x80;
	cr_assert_eq(load_torn(CHUNK_SALVAGED), 7);
}

/* A torn chunk of two whole frames and the beginning of a third; returns where they begin. */
static uint64_t make_compressed(void)
{
	const size_t nr = 3 * TS_COMPRESS_RAW_MAX / 64, raw_bytes = nr * 64;
	uint64_t payload = made_chunk(&m, 1, nr, 100, 0);
	struct ts_compressor zstd = {0};
	uint8_t *at = m.bytes[1].data, *raw = malloc(raw_bytes);
	struct ts_chunk c;

	cr_assert_not_null(raw);
	memcpy(raw, at + payload, raw_bytes);
	cr_assert_eq(ts_chunk_parse(at, m.bytes[1].len, 0, &c), TS_FOUND_OK);
	cr_assert_eq(ts_compressor_init(&zstd, 1, &err), 0);
	c.flags = TS_CHUNK_COMPRESSED;
	c.payload_bytes = ts_compress(&zstd, raw, raw_bytes, at + payload);
	ts_chunk_pack(&c, at);
	m.bytes[1].len = payload + c.payload_bytes - 16;
	ts_compressor_release(&zstd);
	free(raw);
	return payload;
}

Test(chunk_load, reads_the_whole_frames_of_a_torn_chunk)
{
	make_compressed();
	cr_assert_eq(load_torn(0), 2 * TS_COMPRESS_RAW_MAX / 64);
}

Test(chunk_load, names_a_wrong_size_of_a_frame_of_a_torn_chunk)
{
	uint64_t payload = make_compressed();

	m.bytes[1].data[payload + 7] ^= 0x80;
	cr_assert_eq(load_torn(CHUNK_SALVAGED), TS_COMPRESS_RAW_MAX / 64);
}

Test(chunk_load, names_a_damaged_frame_of_a_torn_chunk)
{
	uint64_t payload = make_compressed();
	uint16_t size;

	memcpy(&size, m.bytes[1].data + payload + 6, sizeof(size));
	m.bytes[1].data[payload + size + 8] ^= 0x80; /* the magic of the second frame */
	cr_assert_eq(load_torn(CHUNK_SALVAGED), TS_COMPRESS_RAW_MAX / 64);
}

Test(chunk_load, leaves_out_several_places)
{
	const uint8_t zeros[2 * 64] = {0};

	expect_salvaged(2 * 64 + 32, zeros, sizeof(zeros), 7);
}

Test(chunk_load, refuses_a_chunk_without_a_sound_record)
{
	const uint8_t *records, zeros[10 * 64] = {0};
	size_t len;
	uint64_t payload = made_chunk(&m, 1, 10, 100, 0);

	open_table();
	cr_assert_eq(pwrite(fd, zeros, sizeof(zeros), (off_t)payload), (ssize_t)sizeof(zeros));
	cr_assert_eq(chunk_load(&t, &t.chunks[0], &buf, &records, &len, &err), -EBADMSG);
	cr_assert_str_eq(err.text, "its checksum does not match");
	cr_assert_eq(chunk_damaged(&t.chunks[0], &buf, &err).bytes,
		     TS_CHUNK_HEADER_BYTES + sizeof(zeros));
}

Test(chunk_load, names_a_file_that_became_shorter)
{
	const uint8_t *records;
	size_t len;

	made_chunk(&m, 1, 10, 100, 0);
	open_table();
	cr_assert_eq(ftruncate(fd, 300), 0);
	cr_assert_eq(chunk_read(&t, &t.chunks[0], &buf, &records, &len, &err), -EBADMSG);
	cr_assert_str_eq(err.text, "it cannot be read: the file is shorter by now");
}

Test(chunk_load, keeps_no_descriptor_where_they_are_scarce)
{
	struct rlimit limit;
	struct map map;
	int one = memfd_create("one", MFD_CLOEXEC);

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)one + 8;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_assert_eq(write(one, "x", 1), 1);
	cr_assert_eq(map_open_fd(&map, one, "one", &err), 0);
	cr_assert(!map_can_read(&map));
	cr_assert_eq(map.len, 1);
	map_close(&map);
	close(one);
}

Test(chunk_load, names_and_maps_are_found_without_looking_at_samples)
{
	struct damage damage = {0};
	struct tasks *tasks;

	made_comm(&m, 0, 7, 7, "seven", 20);
	made_chunk(&m, 1, 10, 100, 0);
	open_table();
	tasks = replay_sideband(&t, &damage, NULL, &err);
	cr_assert_not_null(tasks);
	cr_assert_str_eq(tasks_comm(tasks, 7, 30), "seven");
	for (size_t i = 0; i < t.nr; i++)
		cr_assert_eq(t.reads->seen[i] & CHUNK_LOADED,
			     t.chunks[i].stream ? 0 : CHUNK_LOADED);
	tasks_free(tasks);
	damage_release(&damage);
}
