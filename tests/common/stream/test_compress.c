// SPDX-License-Identifier: Apache-2.0
#include "common/stream/compress.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/perf_layout.h"
#include "common/stream/chunk.h"
#include "tests/support/records.h"

#include <zstd.h>

#define RAW_CAP ((size_t)1 << 20)

struct fixture {
	struct ts_compressor c;
	struct ts_decompressor d;
	struct ts_error err;
	uint8_t *raw, *payload, *back;
	size_t raw_len, len;
};

static struct fixture *fixture_new(int level)
{
	struct fixture *f = calloc(1, sizeof(*f));

	cr_assert_eq(ts_compressor_init(&f->c, level, &f->err), 0, "%s", f->err.text);
	cr_assert_eq(ts_decompressor_init(&f->d, &f->err), 0);
	f->raw = malloc(RAW_CAP);
	f->payload = malloc(RAW_CAP);
	f->back = malloc(RAW_CAP);
	return f;
}

static void fixture_free(struct fixture *f)
{
	ts_compressor_release(&f->c);
	ts_decompressor_release(&f->d);
	free(f->raw);
	free(f->payload);
	free(f->back);
	free(f);
}

static void fill_samples(struct fixture *f, size_t bytes)
{
	for (f->raw_len = 0; f->raw_len + SAMPLE_BYTES <= bytes;)
		f->raw_len += put_sample(f->raw + f->raw_len, 1001, 5000 + f->raw_len, 1);
}

static void compress(struct fixture *f)
{
	f->len = ts_compress(&f->c, f->raw, f->raw_len, f->payload);
	cr_assert_leq(f->len, ts_compress_bound(f->raw_len));
}

static int decompress(struct fixture *f)
{
	return ts_decompressor_expand(&f->d, f->payload, f->len, f->back, f->raw_len, &f->err);
}

static void check_round_trip(struct fixture *f)
{
	compress(f);
	memset(f->back, 0, f->raw_len);
	cr_assert_eq(decompress(f), 0, "%s", f->err.text);
	cr_assert_arr_eq(f->back, f->raw, f->raw_len);
}

/*
 * Checks each record of the payload: its size is a multiple of 8, and a compressed one holds whole
 * records <= 60 KiB.
 */
static size_t check_records(const struct fixture *f, size_t *ret_plain)
{
	static uint8_t out[TS_COMPRESS_RAW_MAX];
	size_t at = 0, compressed = 0;

	for (*ret_plain = 0; at < f->len;) {
		const struct perf_event_header *hdr = (const void *)(f->payload + at);

		cr_assert_eq(hdr->size % 8, 0);
		cr_assert_leq(hdr->size, TS_RECORD_MAX_BYTES);
		if (hdr->type == TS_RECORD_COMPRESSED) {
			const size_t n = ZSTD_decompress(out, sizeof(out), hdr + 1, hdr->size - 8);
			bool covered;

			cr_assert_not(ZSTD_isError(n), "%s", ZSTD_getErrorName(n));
			cr_assert_eq(ts_chunk_whole_bytes(out, n, &covered), n);
			compressed++;
		} else {
			cr_assert_eq(hdr->type, PERF_RECORD_SAMPLE);
			++*ret_plain;
		}
		at += hdr->size;
	}
	cr_assert_eq(at, f->len);
	return compressed;
}

Test(compress, gives_back_what_it_took)
{
	struct fixture *f = fixture_new(1);
	size_t plain;

	fill_samples(f, RAW_CAP);
	check_round_trip(f);
	cr_assert_eq(check_records(f, &plain), RAW_CAP / TS_COMPRESS_RAW_MAX + 1);
	cr_assert_eq(plain, 0);
	cr_assert_lt(f->len, f->raw_len / 4);
	fixture_free(f);
}

Test(compress, gives_back_records_of_mixed_sizes)
{
	struct fixture *f = fixture_new(1);

	for (uint64_t seed = 1; seed < 30; seed++) {
		uint64_t state = seed, nr;
		size_t plain;

		f->raw_len =
			put_mixed_samples(f->raw, RAW_CAP, seed % 2 ? 65528 : 3000, &state, &nr);
		check_round_trip(f);
		check_records(f, &plain);
	}
	fixture_free(f);
}

Test(compress, leaves_a_record_plain_that_is_too_large_for_a_frame)
{
	struct fixture *f = fixture_new(3);
	size_t plain;

	f->raw_len = put_sample(f->raw, 1, 1, 0);
	memset(f->raw + f->raw_len, 0, 65528);
	put_sample(f->raw + f->raw_len, 1, 2, 0);
	((struct perf_event_header *)(f->raw + f->raw_len))->size = 65528;
	f->raw_len += 65528;
	for (int i = 0; i < 100; i++)
		f->raw_len += put_sample(f->raw + f->raw_len, 1, 3, 0);
	check_round_trip(f);
	cr_assert_eq(check_records(f, &plain), 1);
	cr_assert_eq(plain, 2, "the large one, and the single small one before it");
	fixture_free(f);
}

Test(compress, never_grows_what_does_not_shrink)
{
	struct fixture *f = fixture_new(1);
	uint64_t seed = 3;

	for (f->raw_len = 0; f->raw_len + 4096 <= RAW_CAP;)
		f->raw_len += put_large_sample(f->raw + f->raw_len, 4096, 1, 1, &seed);
	compress(f);
	cr_assert_leq(f->len, f->raw_len);
	check_round_trip(f);
	fixture_free(f);
}

Test(compress, rounds_sizes_by_a_skippable_frame_in_front)
{
	struct fixture *f = fixture_new(1);
	size_t skipped = 0, exact = 0;

	for (size_t n = 4; n < 400; n++) {
		const struct perf_event_header *hdr = (const void *)f->payload;
		uint32_t first;

		fill_samples(f, n * SAMPLE_BYTES);
		check_round_trip(f);
		memcpy(&first, hdr + 1, sizeof(first));
		if (hdr->type != TS_RECORD_COMPRESSED)
			continue;
		if (first == ZSTD_MAGIC_SKIPPABLE_START)
			skipped++;
		else if (first == ZSTD_MAGICNUMBER)
			exact++;
	}
	cr_assert_gt(skipped, 100);
	cr_assert_gt(exact, 5);
	cr_assert_geq(skipped + exact, 390);
	fixture_free(f);
}

ParameterizedTestParameters(compress, allocates_nothing_after_init_at_any_level)
{
	static int levels[TS_COMPRESS_LEVEL_MAX + 1];

	levels[0] = TS_COMPRESS_LEVEL_FAST;
	for (int i = 1; i <= TS_COMPRESS_LEVEL_MAX; i++)
		levels[i] = i;
	return cr_make_param_array(int, levels, TS_COMPRESS_LEVEL_MAX + 1);
}

/* Many small inputs, because zstd shrinks a context of its own that stays too large. */
ParameterizedTest(int *level, compress, allocates_nothing_after_init_at_any_level)
{
	static const size_t sizes[] = {61440, 300, 20000, 5000, 16384, 16440, 61440};
	struct fixture *f = fixture_new(*level);
	const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const size_t times = sizes[i] < 1000 ? 300 : 2;

		fill_samples(f, sizes[i]);
		for (size_t n = 0; n < times; n++)
			f->len = ts_compress(&f->c, f->raw, f->raw_len, f->payload);
		cr_assert_lt(f->len, f->raw_len, "level %d, %zu bytes did not shrink", *level,
			     sizes[i]);
	}
	cr_assert_eq(mallinfo2().uordblks + mallinfo2().hblkhd, before);
	check_round_trip(f);
	fixture_free(f);
}

Test(compress, refuses_a_level_that_zstd_lacks)
{
	struct ts_compressor c;
	struct ts_error err;

	cr_assert_eq(ts_compressor_init(&c, 0, &err), -EINVAL);
	cr_assert_eq(ts_compressor_init(&c, 23, &err), -EINVAL);
	cr_assert_str_eq(err.text, "cannot compress at level 23: levels are -1 and 1 to 22");
	ts_compressor_release(&c);
}

Test(compress, words_every_damage)
{
	struct fixture *f = fixture_new(1);
	uint64_t seed = 77;

	fill_samples(f, 200000);
	compress(f);
	for (int i = 0; i < 3000; i++) {
		const size_t at = next_random(&seed) % f->len;
		const uint8_t was = f->payload[at];
		int rc;

		f->payload[at] ^= (uint8_t)(1 + next_random(&seed) % 255);
		f->err.text[0] = '\0';
		rc = decompress(f);
		cr_assert(rc == 0 || (rc == -EBADMSG && f->err.text[0]));
		f->payload[at] = was;
	}
	fixture_free(f);
}

Test(compress, refuses_a_chunk_that_yields_more_or_less_than_it_says)
{
	struct fixture *f = fixture_new(1);

	fill_samples(f, 200000);
	compress(f);
	f->raw_len -= 8;
	cr_assert_eq(decompress(f), -EBADMSG);
	f->raw_len += 16;
	cr_assert_eq(decompress(f), -EBADMSG);
	fixture_free(f);
}

Test(compress, refuses_a_frame_that_yields_more_than_60_KiB)
{
	struct perf_event_header hdr = {.type = TS_RECORD_COMPRESSED};
	struct fixture *f = fixture_new(1);
	size_t frame;

	for (size_t more = 0; more <= SAMPLE_BYTES; more += SAMPLE_BYTES) {
		fill_samples(f, TS_COMPRESS_RAW_MAX + more);
		frame = ZSTD_compress(f->payload + sizeof(hdr), RAW_CAP - sizeof(hdr), f->raw,
				      f->raw_len, 1);
		cr_assert(!ZSTD_isError(frame));
		hdr.size = (uint16_t)(sizeof(hdr) + frame);
		memcpy(f->payload, &hdr, sizeof(hdr));
		f->len = hdr.size;
		cr_assert_eq(decompress(f), more ? -EBADMSG : 0);
	}
	fixture_free(f);
}

Test(compress, reads_a_cut_chunk_as_far_as_it_goes)
{
	struct fixture *f = fixture_new(1);
	size_t last = 0;

	fill_samples(f, 200000);
	compress(f);
	for (size_t len = 0; len <= f->len; len += 8) {
		const size_t n =
			ts_decompressor_expand_partial(&f->d, f->payload, len, f->back, f->raw_len);

		cr_assert_geq(n, last);
		cr_assert_eq(n % SAMPLE_BYTES, 0);
		cr_assert_arr_eq(f->back, f->raw, n);
		last = n;
	}
	cr_assert_eq(last, f->raw_len);
	fixture_free(f);
}
