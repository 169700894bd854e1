// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/write_order.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/perf_layout.h"
#include "common/stream/chunk.h"
#include "tests/support/records.h"

#define PAGE	   ((size_t)4096)
#define BLOCK_MAX  ((size_t)(1 << 20) - PAGE) /* not 1 MiB: that would hide a tear */
#define FILE_START (3 * PAGE)

/* The content of a file, and the prefix of the block that is there for good. */
struct disk {
	uint8_t *bytes;
	size_t len;
};

static struct disk disk_new(void)
{
	struct disk d = {.bytes = malloc(FILE_START + BLOCK_MAX), .len = FILE_START};

	for (size_t at = 0; at < FILE_START; at += SAMPLE_BYTES)
		if (FILE_START - at < 2 * SAMPLE_BYTES)
			at += put_large_sample(d.bytes + at, FILE_START - at, 1, 1, &(uint64_t){1});
		else
			put_sample(d.bytes + at, 1, 1, 0);
	return d;
}

/* Does the first `len` bytes of an operation, as a kill in the middle of it leaves them. */
static void write_part(struct disk *d, const struct write_op *op, size_t len)
{
	memcpy(d->bytes + op->offset, op->data, len);
	if (len && op->offset + len > d->len)
		d->len = op->offset + len;
}

/* perf's rules, and harder: NULL, or what is wrong. */
static const char *walk(const struct disk *d)
{
	size_t at = 0;

	while (at < d->len) {
		struct perf_event_header hdr;

		if (d->len - at < sizeof(hdr))
			return "a header beyond the end";
		memcpy(&hdr, d->bytes + at, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size % 8)
			return "an impossible size";
		if (hdr.size > d->len - at)
			return "a record beyond the end";
		if (hdr.type != PERF_RECORD_SAMPLE && hdr.type != TS_RECORD_EVENT_TYPE)
			return "an unknown type";
		if (hdr.type == TS_RECORD_EVENT_TYPE && hdr.misc != TS_MISC_COVER &&
		    ts_own_record((const void *)(d->bytes + at)) == TS_OWN_NONE)
			return "a type-65 record of nobody";
		at += hdr.size;
	}
	return NULL;
}

static size_t first_cover(const struct disk *d)
{
	size_t at = 0;

	while (at < d->len) {
		const struct perf_event_header *hdr = (const void *)(d->bytes + at);

		if (hdr->type == TS_RECORD_EVENT_TYPE && hdr->misc == TS_MISC_COVER)
			break;
		at += hdr->size;
	}
	return at;
}

/*
 * Bytes of an op that can be there when it tears: up to each page boundary of the file inside it.
 */
static size_t next_tear(const struct write_op *op, size_t done)
{
	const size_t next = ((op->offset + done) / PAGE + 1) * PAGE - op->offset;

	return next < op->len ? next : op->len;
}

/*
 * Executes the plan tear by tear; after each the walker must succeed, and what was complete before
 * must still be the block's.
 */
static void check_every_instant(const struct write_order *l, const uint8_t *block, size_t len)
{
	struct disk d = disk_new();
	size_t complete = 0, nr_states = 0;

	for (size_t i = 0; i < l->nr_ops; i++) {
		const struct write_op *op = &l->ops[i];

		for (size_t done = 0; done < op->len; nr_states++) {
			const char *wrong;

			done = next_tear(op, done);
			write_part(&d, op, done);
			wrong = walk(&d);
			cr_assert_null(wrong, "%s after %zu bytes of op %zu of %zu", wrong, done, i,
				       l->nr_ops);
			cr_assert_arr_eq(d.bytes + FILE_START, block, complete);
		}
		if (op->data == block + (op->offset - FILE_START) && op->len == 8) {
			const size_t now = first_cover(&d) - FILE_START;

			cr_assert_gt(now, complete, "op %zu completes a segment", i);
			complete = now;
		}
	}
	cr_assert_geq(nr_states, l->nr_ops);
	cr_assert_eq(d.len, FILE_START + len);
	cr_assert_arr_eq(d.bytes + FILE_START, block, len);
	free(d.bytes);
}

/* Fills a block with records and padding to a page; returns its bytes. */
static size_t make_block(uint8_t *block, size_t room, size_t largest, uint64_t seed)
{
	uint64_t nr;
	const size_t used =
		put_mixed_samples(block, room - PAGE - TS_FILLER_MIN_BYTES, largest, &seed, &nr);
	size_t gap = -used & (PAGE - 1);

	if (gap && gap < TS_FILLER_MIN_BYTES)
		gap += PAGE;
	ts_chunk_filler(block + used, gap);
	return used + gap;
}

struct fixture {
	struct write_order l;
	uint8_t *block;
};

static struct fixture fixture_new(bool direct)
{
	struct fixture f = {.block = aligned_alloc(PAGE, BLOCK_MAX)};
	struct ts_error err;

	cr_assert_eq(write_order_init(&f.l, BLOCK_MAX, direct, &err), 0);
	return f;
}

static void fixture_free(struct fixture *f)
{
	write_order_release(&f->l);
	free(f->block);
}

static void check_block(struct fixture *f, size_t room, size_t largest, uint64_t seed)
{
	const size_t len = make_block(f->block, room, largest, seed);

	write_order_plan(&f->l, f->block, len, FILE_START);
	check_every_instant(&f->l, f->block, len);
}

Test(laying, leaves_whole_records_at_every_instant)
{
	static const size_t largest[] = {SAMPLE_BYTES, 120, 8192, 32768, TS_RECORD_MAX_BYTES};
	struct fixture f = fixture_new(false);

	for (size_t i = 0; i < sizeof(largest) / sizeof(largest[0]); i++)
		for (uint64_t seed = 1; seed <= 3; seed++)
			check_block(&f, BLOCK_MAX, largest[i], seed);
	fixture_free(&f);
}

Test(laying, leaves_whole_records_of_small_blocks)
{
	struct fixture f = fixture_new(false);

	for (size_t pages = 2; pages < 40; pages++)
		check_block(&f, pages * PAGE, 4096, pages);
	fixture_free(&f);
}

Test(laying, leaves_whole_records_where_large_and_small_alternate)
{
	struct fixture f = fixture_new(false);
	uint64_t seed = 9;
	size_t used = 0, gap;

	while (used + TS_RECORD_MAX_BYTES + SAMPLE_BYTES + 2 * PAGE < BLOCK_MAX) {
		used += put_large_sample(f.block + used, TS_RECORD_MAX_BYTES, 1, 1, &seed);
		used += put_sample(f.block + used, 1, 1, 0);
	}
	gap = -used & (PAGE - 1);
	ts_chunk_filler(f.block + used, gap < TS_FILLER_MIN_BYTES ? gap + PAGE : gap);
	used += gap < TS_FILLER_MIN_BYTES ? gap + PAGE : gap;
	write_order_plan(&f.l, f.block, used, FILE_START);
	cr_assert_leq(f.l.nr_ops, 1 + 3 * f.l.max_segments);
	check_every_instant(&f.l, f.block, used);
	fixture_free(&f);
}

Test(laying, leaves_whole_records_beside_smallest_ones)
{
	struct fixture f = fixture_new(false);
	const struct perf_event_header hdr = {.type = PERF_RECORD_SAMPLE, .size = 8};

	for (size_t at = 0; at < 20 * PAGE; at += 8)
		memcpy(f.block + at, &hdr, 8);
	write_order_plan(&f.l, f.block, 20 * PAGE, FILE_START);
	check_every_instant(&f.l, f.block, 20 * PAGE);
	fixture_free(&f);
}

Test(laying, has_no_cover_that_newer_perf_warns_of_where_records_are_small)
{
	struct fixture f = fixture_new(false);
	const size_t len = make_block(f.block, BLOCK_MAX, 400, 4);
	struct disk d = disk_new();

	write_order_plan(&f.l, f.block, len, FILE_START);
	write_part(&d, &f.l.ops[0], len);
	for (size_t at = first_cover(&d); at < d.len;) {
		const struct perf_event_header *hdr = (const void *)(d.bytes + at);

		cr_assert_geq(hdr->size, TS_FILLER_MIN_BYTES);
		at += hdr->size;
	}
	free(d.bytes);
	fixture_free(&f);
}

Test(laying, forgets_the_plan_before)
{
	struct fixture f = fixture_new(false);

	check_block(&f, BLOCK_MAX, 8192, 1);
	check_block(&f, 3 * PAGE, 120, 2);
	check_block(&f, BLOCK_MAX, TS_RECORD_MAX_BYTES, 3);
	fixture_free(&f);
}

Test(laying, is_one_write_when_direct)
{
	struct fixture f = fixture_new(true);
	const size_t len = make_block(f.block, BLOCK_MAX, 4096, 1);

	cr_assert_eq(write_order_plan(&f.l, f.block, len, FILE_START), 1);
	cr_assert_eq(f.l.ops[0].data, f.block);
	cr_assert_eq(f.l.ops[0].len, len);
	cr_assert_eq(f.l.ops[0].offset, FILE_START);
	fixture_free(&f);
}
