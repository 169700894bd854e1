// SPDX-License-Identifier: Apache-2.0
#include "common/perf/inflate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/perf_layout.h"
#include "common/stream/compress.h"
#include "tests/support/records.h"

#include <zstd.h>

#define RAW_CAP ((size_t)600000)

/* A file as perf -z writes it: one endless frame, flushed at each record. */
struct foreign {
	ZSTD_CCtx *cctx;
	uint8_t *raw, *file, *back;
	size_t raw_len, file_len, back_len;
	struct ts_inflater in;
	struct ts_error err;
};

static struct foreign *foreign_new(uint32_t mmap_len)
{
	struct foreign *f = calloc(1, sizeof(*f));
	uint64_t seed = 5, nr;

	f->cctx = ZSTD_createCCtx();
	f->raw = malloc(RAW_CAP);
	f->file = malloc(2 * RAW_CAP);
	f->back = malloc(RAW_CAP);
	f->raw_len = put_mixed_samples(f->raw, RAW_CAP, 20000, &seed, &nr);
	cr_assert_eq(ts_inflater_init(&f->in, mmap_len, &f->err), 0);
	return f;
}

static void foreign_free(struct foreign *f)
{
	ts_inflater_release(&f->in);
	ZSTD_freeCCtx(f->cctx);
	free(f->raw);
	free(f->file);
	free(f->back);
	free(f);
}

/* Appends len raw bytes as flushed zstd bytes at to; returns the number of zstd bytes. */
static size_t flush(struct foreign *f, size_t from, size_t len, uint8_t *to, size_t cap)
{
	ZSTD_inBuffer in = {.src = f->raw + from, .size = len};
	ZSTD_outBuffer out = {.dst = to, .size = cap};

	cr_assert_eq(ZSTD_compressStream2(f->cctx, &out, &in, ZSTD_e_flush), 0);
	return out.pos;
}

static void put_81(struct foreign *f, size_t from, size_t len)
{
	struct perf_event_header hdr = {.type = TS_RECORD_COMPRESSED};
	const size_t n = flush(f, from, len, f->file + f->file_len + 8, 65527);

	hdr.size = (uint16_t)(8 + n);
	memcpy(f->file + f->file_len, &hdr, sizeof(hdr));
	f->file_len += hdr.size;
}

static void put_83(struct foreign *f, size_t from, size_t len)
{
	struct perf_event_header hdr = {.type = TS_RECORD_COMPRESSED2};
	const uint64_t n = flush(f, from, len, f->file + f->file_len + 16, 65512);

	hdr.size = (uint16_t)((16 + n + 7) & ~7ULL);
	memcpy(f->file + f->file_len, &hdr, sizeof(hdr));
	memcpy(f->file + f->file_len + 8, &n, sizeof(n));
	memset(f->file + f->file_len + 16 + n, 0, hdr.size - 16 - n);
	f->file_len += hdr.size;
}

/*
 * Does what perf 6.16 .. 7.1 does with a push of more than one record: see common/perf/inflate.c.
 */
static void put_83_overflowed(struct foreign *f, size_t from, size_t len)
{
	static uint8_t zstd[2 * RAW_CAP];
	const size_t n = flush(f, from, len, zstd, sizeof(zstd));
	uint8_t *start = f->file + f->file_len, *to = start;
	struct perf_event_header hdr = {.type = TS_RECORD_COMPRESSED2};
	uint64_t data_size;

	cr_assert_gt(n, 65519, "the test wants an overflow");
	for (size_t at = 0; at < n;) {
		const size_t part = n - at < 65519 ? n - at : 65519;

		hdr.size = (uint16_t)(16 + part);
		memcpy(to, &hdr, sizeof(hdr));
		memset(to + 8, 0xaa, 8);
		memcpy(to + 16, zstd + at, part);
		to += 16 + part;
		at += part;
	}
	data_size = (uint64_t)(to - start) - 16;
	hdr.size = (uint16_t)((16 + data_size + 7) & ~7ULL);
	memcpy(start, &hdr, sizeof(hdr));
	memcpy(start + 8, &data_size, sizeof(data_size));
	f->file_len += (size_t)(to - start);
}

/* Reads the whole file through a buffer of `step` bytes. 0 or the error. */
static int inflate(struct foreign *f, size_t step)
{
	size_t at = 0;

	f->back_len = 0;
	while (at < f->file_len) {
		const size_t span = ts_inflater_span(f->file + at, f->file_len - at);
		ssize_t n = ts_inflater_feed(&f->in, f->file + at, f->file_len - at, &f->err);

		if (n < 0)
			return (int)n;
		while ((n = ts_inflater_read(&f->in, f->back + f->back_len,
					     RAW_CAP - f->back_len < step ? RAW_CAP - f->back_len
									  : step,
					     &f->err)) > 0)
			f->back_len += (size_t)n;
		if (n < 0)
			return (int)n;
		at += span;
	}
	return 0;
}

static void check_same(struct foreign *f, size_t step)
{
	cr_assert_eq(inflate(f, step), 0, "%s", f->err.text);
	cr_assert_eq(f->back_len, f->raw_len);
	cr_assert_arr_eq(f->back, f->raw, f->raw_len);
}

Test(inflate, reads_the_continuous_frame_of_perf)
{
	struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);

	for (size_t at = 0; at < f->raw_len; at += 50001)
		put_81(f, at, f->raw_len - at < 50001 ? f->raw_len - at : 50001);
	check_same(f, RAW_CAP);
	foreign_free(f);
}

Test(inflate, reads_through_a_small_buffer)
{
	struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);

	for (size_t at = 0; at < f->raw_len; at += 50001)
		put_81(f, at, f->raw_len - at < 50001 ? f->raw_len - at : 50001);
	check_same(f, 777);
	foreign_free(f);
}

Test(inflate, reads_records_of_seven_bytes)
{
	struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);

	f->raw_len = 7 * 5000;
	for (size_t at = 0; at < f->raw_len; at += 7)
		put_81(f, at, 7);
	check_same(f, RAW_CAP);
	foreign_free(f);
}

Test(inflate, reads_type_83_with_its_padding)
{
	struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);

	for (size_t at = 0; at < f->raw_len; at += 30011)
		put_83(f, at, f->raw_len - at < 30011 ? f->raw_len - at : 30011);
	check_same(f, 60000);
	foreign_free(f);
}

Test(inflate, reads_type_83_records_that_perf_overflowed)
{
	struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);

	put_83(f, 0, 1000);
	put_83_overflowed(f, 1000, 400000);
	put_83(f, 401000, 1000);
	f->raw_len = 402000;
	check_same(f, 60000);
	foreign_free(f);
}

Test(inflate, reads_frames_of_their_own)
{
	struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);
	struct ts_compressor c;

	cr_assert_eq(ts_compressor_init(&c, 1, &f->err), 0);
	f->raw_len = 0;
	while (f->raw_len < 200 * SAMPLE_BYTES)
		f->raw_len += put_sample(f->raw + f->raw_len, 1, 1, 1);
	for (int i = 0; i < 3; i++)
		f->file_len += ts_compress(&c, f->raw, f->raw_len, f->file + f->file_len);
	cr_assert_eq(inflate(f, RAW_CAP), 0, "%s", f->err.text);
	cr_assert_eq(f->back_len, 3 * f->raw_len);
	cr_assert_arr_eq(f->back + 2 * f->raw_len, f->raw, f->raw_len);
	ts_compressor_release(&c);
	foreign_free(f);
}

Test(inflate, stops_a_record_that_expands_beyond_the_limit)
{
	struct foreign *f = foreign_new(65536);

	memset(f->raw, 0, RAW_CAP);
	put_81(f, 0, RAW_CAP);
	cr_assert_eq(inflate(f, 4096), -E2BIG);
	cr_assert_str_eq(f->err.text, "cannot decompress a record: more than 65536 bytes come out");
	foreign_free(f);
}

Test(inflate, words_every_damage)
{
	uint64_t seed = 11;

	for (int i = 0; i < 300; i++) {
		struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);
		int rc;

		put_81(f, 0, 10000);
		put_83(f, 10000, 10000);
		put_81(f, 20000, 10000);
		f->file[next_random(&seed) % f->file_len] ^=
			(uint8_t)(1 + next_random(&seed) % 255);
		rc = inflate(f, 4096);
		cr_assert(rc == 0 || (rc == -EBADMSG && f->err.text[0]) || rc == -E2BIG);
		foreign_free(f);
	}
}

Test(inflate, refuses_sizes_that_do_not_fit)
{
	struct {
		struct perf_event_header hdr;
		uint64_t data_size;
		uint8_t rest[64];
	} r = {.hdr = {.type = TS_RECORD_COMPRESSED2, .size = 80}, .data_size = 60};

	cr_assert_eq(ts_inflater_span(&r, sizeof(r)), 80);
	cr_assert_eq(ts_inflater_span(&r, 79), 0);
	cr_assert_eq(ts_inflater_span(&r, 15), 0);
	cr_assert_eq(ts_inflater_span(&r, 0), 0);
	r.data_size = 65;
	cr_assert_eq(ts_inflater_span(&r, sizeof(r)), 0);
	r.data_size = UINT64_MAX;
	cr_assert_eq(ts_inflater_span(&r, sizeof(r)), 0);
	r.hdr.type = TS_RECORD_COMPRESSED;
	r.hdr.size = 7;
	cr_assert_eq(ts_inflater_span(&r, sizeof(r)), 0);
}

Test(inflate, refuses_an_overflowed_record_with_bad_parts)
{
	struct foreign *f = foreign_new(TS_COMPRESS_MMAP_LEN);

	put_83_overflowed(f, 0, 400000);
	f->file[16 + 65519 + 6] = 3; /* size of the second part */
	f->file[16 + 65519 + 7] = 0;
	cr_assert_eq(inflate(f, 4096), -EBADMSG);
	foreign_free(f);
}
