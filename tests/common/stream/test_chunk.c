// SPDX-License-Identifier: Apache-2.0
#include "common/stream/chunk.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdalign.h>
#include <string.h>

#include "common/perf/perf_layout.h"
#include "common/stream/checksum.h"
#include "common/stream/stream_disk.h"
#include "tests/support/records.h"

static const struct ts_chunk example = {
	.uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
	.cut = 7,
	.ring = 3,
	.cpu = 191,
	.kind = TS_RING_SIDEBAND,
	.flags = TS_CHUNK_COMPRESSED | TS_CHUNK_AFTER_LOSS,
	.header_bytes = TS_CHUNK_HEADER_BYTES,
	.offset = 4096,
	.seq = 42,
	.payload_bytes = 1024,
	.raw_bytes = 5600,
	.nr_records = 100,
	.time_min_ns = 1000,
	.time_max_ns = 2000,
	.span_min_ns = 10,
	.span_max_ns = 900,
	.lost = 17,
	.lost_cause = TS_LOSS_PAUSED,
	.checksum = 0x1122334455667788,
};

struct packed {
	alignas(8) uint8_t bytes[TS_CHUNK_HEADER_BYTES];
};

static struct packed pack(const struct ts_chunk *c)
{
	struct packed p;

	ts_chunk_pack(c, p.bytes);
	return p;
}

/* Changes a packed header and seals it again, as a later writer or an attacker could do. */
static void reseal(struct packed *p)
{
	uint64_t zero = 0, sum;

	memcpy(p->bytes + 24, &zero, 8);
	sum = ts_checksum(p->bytes, sizeof(p->bytes));
	memcpy(p->bytes + 24, &sum, 8);
}

static enum ts_found parse(const struct packed *p, struct ts_chunk *ret)
{
	return ts_chunk_parse(p->bytes, sizeof(p->bytes), example.offset, ret);
}

Test(chunk, parses_what_it_packed)
{
	const struct packed p = pack(&example);
	struct ts_chunk c;

	memset(&c, 0xff, sizeof(c));
	cr_assert_eq(parse(&p, &c), TS_FOUND_OK);
	cr_assert_arr_eq(c.uuid, example.uuid, 16);
	cr_assert_eq(c.cut, 7);
	cr_assert_eq(c.ring, 3);
	cr_assert_eq(c.cpu, 191);
	cr_assert_eq(c.kind, TS_RING_SIDEBAND);
	cr_assert_eq(c.flags, example.flags);
	cr_assert_eq(c.header_bytes, TS_CHUNK_HEADER_BYTES);
	cr_assert_eq(c.offset, 4096);
	cr_assert_eq(c.seq, 42);
	cr_assert_eq(c.payload_bytes, 1024);
	cr_assert_eq(c.raw_bytes, 5600);
	cr_assert_eq(c.nr_records, 100);
	cr_assert_eq(c.time_min_ns, 1000);
	cr_assert_eq(c.time_max_ns, 2000);
	cr_assert_eq(c.span_min_ns, 10);
	cr_assert_eq(c.span_max_ns, 900);
	cr_assert_eq(c.lost, 17);
	cr_assert_eq(c.lost_cause, TS_LOSS_PAUSED);
	cr_assert_eq(c.checksum, 0x1122334455667788);
}

Test(chunk, header_is_a_type_65_record_that_newer_perf_accepts)
{
	const struct packed p = pack(&example);
	struct perf_event_header hdr;

	memcpy(&hdr, p.bytes, sizeof(hdr));
	cr_assert_eq(hdr.type, TS_RECORD_EVENT_TYPE);
	cr_assert_eq(hdr.misc, 0);
	cr_assert_eq(hdr.size, TS_CHUNK_HEADER_BYTES);
	cr_assert_geq(hdr.size, TS_FILLER_MIN_BYTES);
	cr_assert_eq(hdr.size % 8, 0);
	cr_assert_eq(p.bytes[79], 0, "the 64-byte event name of type 65 ends with a NUL");
}

Test(chunk, notices_every_flipped_bit)
{
	const struct packed good = pack(&example);
	struct ts_chunk c;

	for (size_t bit = 0; bit < 8 * sizeof(good.bytes); bit++) {
		struct packed bad = good;

		bad.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		cr_assert_neq(parse(&bad, &c), TS_FOUND_OK, "bit %zu", bit);
	}
}

Test(chunk, refuses_a_header_that_stands_elsewhere)
{
	const struct packed p = pack(&example);
	struct ts_chunk c;

	cr_assert_eq(ts_chunk_parse(p.bytes, sizeof(p.bytes), example.offset + 8, &c),
		     TS_FOUND_DAMAGED);
}

Test(chunk, refuses_a_header_that_the_file_cuts)
{
	const struct packed p = pack(&example);
	struct ts_chunk c;

	for (size_t left = 0; left < sizeof(p.bytes); left++)
		cr_assert_neq(ts_chunk_parse(p.bytes, left, example.offset, &c), TS_FOUND_OK);
}

Test(chunk, refuses_a_later_major_version)
{
	struct packed p = pack(&example);
	struct ts_chunk c;
	const uint16_t major = TS_FORMAT_MAJOR + 1;

	memcpy(p.bytes + 16, &major, 2);
	reseal(&p);
	cr_assert_eq(parse(&p, &c), TS_FOUND_NEWER);
}

Test(chunk, reads_a_later_minor_version_with_a_longer_header)
{
	struct {
		alignas(8) uint8_t bytes[TS_CHUNK_HEADER_BYTES + 16];
	} longer = {0};
	const uint16_t minor = TS_FORMAT_MINOR + 1, size = sizeof(longer.bytes);
	struct ts_chunk c;
	uint64_t sum;

	ts_chunk_pack(&example, longer.bytes);
	memset(longer.bytes + TS_CHUNK_HEADER_BYTES, 0x5a, 16);
	memcpy(longer.bytes + 6, &size, 2);
	memcpy(longer.bytes + 18, &minor, 2);
	memset(longer.bytes + 24, 0, 8);
	sum = ts_checksum(longer.bytes, sizeof(longer.bytes));
	memcpy(longer.bytes + 24, &sum, 8);
	cr_assert_eq(ts_chunk_parse(longer.bytes, sizeof(longer.bytes), example.offset, &c),
		     TS_FOUND_OK);
	cr_assert_eq(c.header_bytes, sizeof(longer.bytes));
	cr_assert_eq(c.payload_bytes, 1024);
}

struct impossible {
	char what[32]; /* no pointer: the test runs in a process of its own */
	size_t at;
	uint64_t value;
};

ParameterizedTestParameters(chunk, refuses_impossible_values)
{
	static struct impossible list[] = {
		{"no payload", 72, 0},
		{"payload not of words", 72, 1023},
		{"payload beyond any file", 72, UINT64_MAX - 7},
		{"raw bytes not of words", 80, 5601},
		{"more records than fit", 88, 5600 / 8 + 1},
	};

	return cr_make_param_array(struct impossible, list, sizeof(list) / sizeof(list[0]));
}

ParameterizedTest(struct impossible *param, chunk, refuses_impossible_values)
{
	struct packed p = pack(&example);
	struct ts_chunk c;

	memcpy(p.bytes + param->at, &param->value, 8);
	reseal(&p);
	cr_assert_eq(parse(&p, &c), TS_FOUND_DAMAGED, "%s", param->what);
}

Test(chunk, finds_the_next_header_after_damage)
{
	alignas(8) uint8_t file[4096];
	struct ts_chunk c = example;

	memset(file, 0xab, sizeof(file));
	c.offset = 80;
	ts_chunk_pack(&c, file + 80);
	c.offset = 1024;
	ts_chunk_pack(&c, file + 1024);
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 0), 80);
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 80), 80);
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 81), 1024);
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 1032), TS_NO_OFFSET);
	file[1024 + 60] ^= 1;
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 81), TS_NO_OFFSET);
}

Test(chunk, does_not_take_a_copied_header_for_a_chunk)
{
	alignas(8) uint8_t file[2048] = {0};
	struct ts_chunk c = example;

	c.offset = 512;
	ts_chunk_pack(&c, file + 512);
	memcpy(file + 64, file + 512, TS_CHUNK_HEADER_BYTES); /* as a stack dump of us would */
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 0), 512);
}

Test(chunk, searches_a_file_that_ends_inside_a_magic)
{
	alignas(8) uint8_t file[24] = {0};
	const uint64_t magic = TS_MAGIC_CHUNK;

	memcpy(file + 8, &magic, 8);
	for (uint64_t len = 0; len <= sizeof(file); len++)
		cr_assert_eq(ts_chunk_next_magic(file, len, 0), TS_NO_OFFSET);
	memcpy(file, &magic, 8);
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 0), TS_NO_OFFSET);
	cr_assert_eq(ts_chunk_next_magic(file, sizeof(file), 100), TS_NO_OFFSET);
}

Test(chunk, counts_whole_records_up_to_a_cover)
{
	alignas(8) uint8_t payload[4 * SAMPLE_BYTES];
	const struct perf_event_header cover = {
		.type = TS_RECORD_EVENT_TYPE, .misc = TS_MISC_COVER, .size = 2 * SAMPLE_BYTES};
	bool covered;

	for (size_t i = 0; i < 4; i++)
		put_sample(payload + i * SAMPLE_BYTES, 1, i, 0);
	cr_assert_eq(ts_chunk_whole_bytes(payload, sizeof(payload), &covered), sizeof(payload));
	cr_assert_not(covered);
	cr_assert_eq(ts_chunk_whole_bytes(payload, sizeof(payload) - 1, &covered),
		     3 * SAMPLE_BYTES);
	cr_assert_not(covered);
	memcpy(payload + 2 * SAMPLE_BYTES, &cover, sizeof(cover));
	cr_assert_eq(ts_chunk_whole_bytes(payload, sizeof(payload), &covered), 2 * SAMPLE_BYTES);
	cr_assert(covered);
	memset(payload + SAMPLE_BYTES, 0, 8);
	cr_assert_eq(ts_chunk_whole_bytes(payload, sizeof(payload), &covered), SAMPLE_BYTES);
	cr_assert_not(covered);
	cr_assert_eq(ts_chunk_whole_bytes(payload, 0, &covered), 0);
}

Test(chunk, fills_any_gap_with_records_that_perf_skips)
{
	static alignas(8) uint8_t gap[200000];

	for (size_t bytes = TS_FILLER_MIN_BYTES; bytes <= sizeof(gap) - 8;
	     bytes += bytes < 1000				     ? 8
		      : bytes % 65528 < 300 || bytes % 65528 > 65200 ? 8
								     : 264) {
		size_t at = 0;

		memset(gap, 0xee, sizeof(gap));
		ts_chunk_filler(gap, bytes);
		while (at < bytes) {
			const struct perf_event_header *hdr = (const void *)(gap + at);

			cr_assert_eq(ts_own_record(hdr), TS_OWN_PADDING);
			cr_assert_geq(hdr->size, TS_FILLER_MIN_BYTES);
			cr_assert_leq(hdr->size, TS_RECORD_MAX_BYTES);
			cr_assert_eq(hdr->size % 8, 0);
			at += hdr->size;
		}
		cr_assert_eq(at, bytes);
		cr_assert_eq(gap[bytes], 0xee);
	}
	ts_chunk_filler(gap, 0);
}

Test(chunk, tells_its_own_records_from_others)
{
	struct {
		struct perf_event_header hdr;
		uint64_t magic;
	} record = {.hdr = {.type = TS_RECORD_EVENT_TYPE, .size = 80}, .magic = 0};

	cr_assert_eq(ts_own_record(&record.hdr), TS_OWN_NONE);
	record.magic = TS_MAGIC_CHUNK;
	cr_assert_eq(ts_own_record(&record.hdr), TS_OWN_CHUNK);
	record.magic = TS_MAGIC_INDEX;
	cr_assert_eq(ts_own_record(&record.hdr), TS_OWN_INDEX);
	record.magic = TS_MAGIC_FOOTER;
	cr_assert_eq(ts_own_record(&record.hdr), TS_OWN_FOOTER);
	record.hdr.size = 8;
	cr_assert_eq(ts_own_record(&record.hdr), TS_OWN_NONE);
	record.hdr.misc = TS_MISC_COVER;
	cr_assert_eq(ts_own_record(&record.hdr), TS_OWN_COVER);
	record.hdr.type = PERF_RECORD_SAMPLE;
	cr_assert_eq(ts_own_record(&record.hdr), TS_OWN_NONE);
}
