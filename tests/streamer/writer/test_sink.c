// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/sink.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/stream/chunk.h"
#include "common/stream/stream.h"

#define BLOCK  (256u * 1024)
#define BLOCKS 5

/* A sink over a temporary file, and what is put into it. */
struct rig {
	struct wait wait;
	struct sink sink;
	struct write_order laying;
	struct ts_stream_file file;
	char path[64];
	uint8_t *blocks;     /* BLOCKS of BLOCK bytes */
	uint64_t nr_written; /* blocks that were complete */
	struct ts_error err;
};

static const enum sink_kind kinds[] = {SINK_URING, SINK_PWRITE};

/* Records of many sizes, then padding: a block as the stream lays it out. */
static void fill(uint8_t *block, unsigned seed)
{
	struct perf_event_header hdr = {.type = PERF_RECORD_SAMPLE};
	size_t at = 0;
	unsigned i;

	for (i = 0; at + 4096 + 80 < BLOCK; i++) {
		hdr.size = (uint16_t)(56 + 8 * ((seed * 31 + i * 7919) % 500));
		memset(block + at, (int)(seed * 16 + i), hdr.size);
		memcpy(block + at, &hdr, sizeof(hdr));
		at += hdr.size;
	}
	ts_chunk_filler(block + at, BLOCK - at);
}

static void set_up_synced(struct rig *r, enum sink_kind kind, bool direct,
			  const struct sink_faults *faults, uint64_t sync_ns)
{
	struct sink_plan plan = {
		.kind = kind, .path = r->path, .faults = faults, .sync_ns = sync_ns};
	struct iovec memory[2];
	struct ts_error err;
	unsigned i;

	memset(r, 0, sizeof(*r));
	strcpy(r->path, "/tmp/tstream-sink-XXXXXX");
	r->file.fd = mkostemp(r->path, O_CLOEXEC);
	cr_assert_geq(r->file.fd, 0);
	r->file.align = 4096;
	r->file.direct = direct && fcntl(r->file.fd, F_SETFL, O_DIRECT) == 0;
	r->blocks = aligned_alloc(4096, BLOCKS * BLOCK);
	for (i = 0; i < BLOCKS; i++)
		fill(r->blocks + i * BLOCK, i);
	cr_assert_eq(write_order_init(&r->laying, BLOCK, r->file.direct, &err), 0);
	cr_assert_eq(
		wait_init(&r->wait, kind == SINK_URING ? WAIT_URING : WAIT_EPOLL, 2, NULL, 0, &err),
		0, "%s", err.text);
	memory[0] = (struct iovec){r->blocks, BLOCKS * BLOCK};
	memory[1] = (struct iovec){r->laying.skeleton, BLOCK};
	plan.file = r->file;
	plan.memory = memory;
	plan.nr_memory = r->laying.skeleton ? 2 : 1;
	cr_assert_eq(sink_open(&r->sink, &plan, &r->wait, &err), 0, "%s", err.text);
}

static void set_up(struct rig *r, enum sink_kind kind, bool direct,
		   const struct sink_faults *faults)
{
	set_up_synced(r, kind, direct, faults, 0);
}

static void tear_down(struct rig *r)
{
	sink_close(&r->sink);
	sink_close(&r->sink);
	wait_close(&r->wait);
	write_order_release(&r->laying);
	close(r->file.fd);
	unlink(r->path);
	free(r->blocks);
}

/* Writes all blocks, waiting for each; false: one failed. */
static bool write_blocks(struct rig *r)
{
	unsigned i;

	for (i = 0; i < BLOCKS; i++) {
		struct sink_block b = {
			.len = BLOCK,
			.offset = (uint64_t)i * BLOCK,
			.data = r->blocks + i * BLOCK,
			.laying = &r->laying,
		};
		enum sink_state state;

		b.nr_ops = write_order_plan(&r->laying, r->blocks + i * BLOCK, BLOCK, b.offset);
		b.ops = r->laying.ops;
		sink_write(&r->sink, &b);
		while ((state = sink_look(&r->sink)) == SINK_BUSY)
			cr_assert_geq(wait_next(&r->wait, sink_due_ns(&r->sink), &r->err), 0);
		if (state == SINK_FAILED)
			return false;
		cr_assert_eq(state, SINK_WRITTEN);
		r->nr_written++;
		if (sink_look(&r->sink) == SINK_FAILED)
			return false;
		cr_assert_eq(r->sink.state, SINK_IDLE);
	}
	return true;
}

static uint64_t file_bytes(const struct rig *r)
{
	struct stat st;

	cr_assert_eq(stat(r->path, &st), 0);
	return (uint64_t)st.st_size;
}

static uint8_t *read_file(const struct rig *r, uint64_t len)
{
	uint8_t *got = malloc(len + 1);
	int fd = open(r->path, O_RDONLY);

	cr_assert_eq(file_bytes(r), len);
	cr_assert_eq(read(fd, got, len), (ssize_t)len);
	close(fd);
	return got;
}

/* The file holds the first len bytes of the blocks. */
static void check_file(const struct rig *r, uint64_t len)
{
	uint8_t *got = read_file(r, len);

	cr_assert_eq(memcmp(got, r->blocks, len), 0);
	free(got);
}

/* The file consists of whole records, true ones or covers. */
static void check_records(const struct rig *r, uint64_t len)
{
	uint8_t *got = read_file(r, len);

	cr_assert_eq(ts_stream_whole_records(got, len, len), len);
	free(got);
}

static void check_all_written(const struct sink_faults *faults)
{
	struct rig r;

	for (unsigned i = 0; i < 4; i++) {
		set_up(&r, kinds[i / 2], i % 2, faults);
		cr_assert(write_blocks(&r), "%s", r.sink.error.text);
		check_file(&r, BLOCKS * BLOCK);
		tear_down(&r);
	}
}

Test(sink, writes_blocks_in_order)
{
	check_all_written(NULL);
}

Test(sink, goes_on_after_short_writes)
{
	struct sink_faults faults = {.short_every = 2};

	check_all_written(&faults);
}

Test(sink, goes_on_when_every_write_is_short)
{
	struct sink_faults faults = {.short_every = 1};

	check_all_written(&faults);
}

Test(sink, tries_again_after_eintr_and_eagain)
{
	struct sink_faults eintr = {.fail_at = 2, .fail_errno = EINTR, .fail_times = 3};
	struct sink_faults eagain = {.fail_at = 1, .fail_errno = EAGAIN, .fail_times = 3};

	check_all_written(&eintr);
	check_all_written(&eagain);
}

Test(sink, gives_up_on_eagain_that_does_not_end)
{
	struct sink_faults faults = {.fail_errno = EAGAIN};
	struct rig r;

	set_up(&r, SINK_PWRITE, false, &faults);
	cr_assert_not(write_blocks(&r));
	cr_assert_eq(r.sink.error.code, EAGAIN);
	tear_down(&r);
}

Test(sink, completes_late_when_told_to)
{
	struct sink_faults faults = {.delay_ms = 30};
	struct rig r;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t start_ns = ts_clock_now_ns();

		set_up(&r, kinds[i], false, &faults);
		cr_assert(write_blocks(&r));
		cr_assert_geq(ts_clock_now_ns() - start_ns, BLOCKS * 30 * TS_NS_PER_MS);
		cr_assert_geq(r.sink.write_ns, 30 * TS_NS_PER_MS);
		check_file(&r, BLOCKS * BLOCK);
		tear_down(&r);
	}
}

Test(sink, reports_a_direct_write_that_fails_and_keeps_what_was_before)
{
	struct sink_faults faults = {.fail_at = 2, .fail_errno = EIO};
	struct rig r;

	for (unsigned i = 0; i < 2; i++) {
		set_up(&r, kinds[i], true, &faults);
		if (!r.file.direct)
			cr_skip_test("no direct writes in /tmp");
		cr_assert_not(write_blocks(&r));
		cr_assert_eq(r.nr_written, 2);
		cr_assert_eq(r.sink.error.code, EIO);
		cr_assert(strstr(r.sink.error.text, r.path));
		cr_assert_eq(sink_look(&r.sink), SINK_FAILED);
		check_file(&r, 2 * BLOCK);
		tear_down(&r);
	}
}

/* Half of the third block is written, the rest of it fails: cut at the last whole record. */
Test(sink, truncates_a_short_write_to_its_last_whole_record)
{
	struct sink_faults faults = {.short_every = 3, .fail_at = 4, .fail_errno = ENOSPC};
	struct rig r;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t whole;

		set_up(&r, kinds[i], true, &faults);
		if (!r.file.direct)
			cr_skip_test("no direct writes in /tmp");
		cr_assert_not(write_blocks(&r));
		/* operations 0 and 1 are the first block, 2 the second, 3 is half of the third */
		cr_assert_eq(r.nr_written, 2);
		whole = ts_stream_whole_records(r.blocks + 2 * BLOCK, BLOCK, BLOCK / 2);
		cr_assert_gt(whole, BLOCK / 2 - 4096);
		cr_assert_eq(r.sink.file_bytes, 2 * BLOCK + whole);
		cr_assert(strstr(r.sink.error.hint, "is kept"));
		check_file(&r, 2 * BLOCK + whole);
		tear_down(&r);
	}
}

/* The first block finds no room, nor does its half: a quarter of it is written. */
Test(sink, writes_the_part_of_a_block_that_fits_on_a_full_disk)
{
	struct sink_faults faults = {.fail_errno = ENOSPC, .fail_times = 2};
	struct rig r;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t whole;

		set_up(&r, kinds[i % 2], i >= 2, &faults);
		cr_assert_not(write_blocks(&r));
		cr_assert_eq(r.nr_written, 0);
		cr_assert_eq(r.sink.error.code, ENOSPC);
		whole = ts_stream_whole_records(r.blocks, BLOCK, BLOCK / 4);
		cr_assert_gt(whole, 0);
		/* a buffered half is cut to whole records before it is halved again */
		cr_assert_leq(r.sink.file_bytes, whole);
		cr_assert_gt(r.sink.file_bytes, whole - 8192);
		check_file(&r, r.sink.file_bytes);
		tear_down(&r);
	}
}

Test(sink, leaves_whole_records_wherever_a_buffered_block_fails)
{
	struct sink_faults faults = {.fail_errno = EIO};
	struct rig r;

	for (unsigned at = 0; at < 20; at++) {
		faults.fail_at = at;
		faults.short_every = at % 3;
		set_up(&r, kinds[at % 2], false, &faults);
		cr_assert_not(write_blocks(&r));
		check_records(&r, r.sink.file_bytes);
		tear_down(&r);
	}
}

Test(sink, drops_everything_when_it_is_null)
{
	struct rig r;

	set_up(&r, SINK_NULL, false, NULL);
	cr_assert(write_blocks(&r));
	cr_assert_eq(r.nr_written, BLOCKS);
	cr_assert_eq(file_bytes(&r), 0);
	tear_down(&r);
}

Test(sink, says_what_the_system_says)
{
	struct rig r;

	for (unsigned i = 0; i < 2; i++) {
		set_up(&r, kinds[i], false, NULL);
		r.sink.plan.file.fd = -1;
		r.sink.has_fixed_file = false;
		cr_assert_not(write_blocks(&r));
		cr_assert_eq(r.sink.error.code, EBADF);
		tear_down(&r);
	}
}

Test(sink, works_without_registered_memory)
{
	struct rig r;

	set_up(&r, SINK_URING, false, NULL);
	r.sink.nr_fixed = 0;
	r.sink.has_fixed_file = false;
	cr_assert(write_blocks(&r));
	check_file(&r, BLOCKS * BLOCK);
	tear_down(&r);
}

Test(sink, works_one_operation_at_a_time)
{
	struct rig r;

	set_up(&r, SINK_URING, false, NULL);
	r.wait.has_cqe_skip = false; /* as before Linux 5.17 */
	cr_assert(write_blocks(&r));
	check_file(&r, BLOCKS * BLOCK);
	tear_down(&r);
}

Test(sink, works_with_short_queues)
{
	struct rig r;

	set_up(&r, SINK_URING, false, NULL);
	r.wait.writes_max = WAIT_URING_WRITES_FEW;
	cr_assert(write_blocks(&r));
	check_file(&r, BLOCKS * BLOCK);
	tear_down(&r);
}

/* The fifth operation of a chain reads memory that is not there: those behind it must not run. */
Test(sink, stops_the_chain_where_the_kernel_refuses)
{
	struct rig r;
	struct sink_block b = {.len = BLOCK, .laying = &r.laying};
	enum sink_state state;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t segment;

		set_up(&r, kinds[i], false, NULL);
		b.nr_ops = write_order_plan(&r.laying, r.blocks, BLOCK, 0);
		b.ops = r.laying.ops;
		b.data = r.blocks;
		cr_assert_gt(b.nr_ops, 10);
		segment = b.ops[4].offset;
		r.laying.ops[5].data = (void *)8;
		sink_write(&r.sink, &b);
		while ((state = sink_look(&r.sink)) == SINK_BUSY)
			cr_assert_gt(
				wait_next(&r.wait, ts_clock_now_ns() + 60 * TS_NS_PER_SEC, &r.err),
				0);
		cr_assert_eq(state, SINK_FAILED);
		cr_assert_eq(r.sink.error.code, EFAULT);
		check_file(&r, segment);
		if (kinds[i] == SINK_URING) /* the helper may wake us late */
			cr_assert_eq(
				wait_next(&r.wait, ts_clock_now_ns() + 5 * TS_NS_PER_MS, &r.err),
				0);
		tear_down(&r);
	}
}

static bool end_sync(struct rig *r)
{
	while (!sink_end_sync(&r->sink)) {
		cr_assert_geq(wait_next(&r->wait, sink_due_ns(&r->sink), &r->err), 0);
		sink_look(&r->sink);
	}
	return r->sink.state != SINK_FAILED;
}

Test(sink, syncs_nothing_unless_told_to)
{
	struct rig r;

	for (unsigned i = 0; i < 2; i++) {
		set_up(&r, kinds[i], false, NULL);
		cr_assert(write_blocks(&r));
		cr_expect(sink_end_sync(&r.sink));
		cr_expect_eq(r.sink.sync.nr, 0);
		cr_expect_eq(sink_due_ns(&r.sink), TS_TIME_NEVER);
		tear_down(&r);
	}
}

Test(sink, syncs_at_the_end_what_is_not_yet_on_the_disk)
{
	struct rig r;

	for (unsigned i = 0; i < 4; i++) {
		set_up_synced(&r, kinds[i / 2], i % 2, NULL, 3600 * TS_NS_PER_SEC);
		cr_assert(write_blocks(&r));
		cr_expect_eq(r.sink.sync.nr, 0);
		cr_expect(end_sync(&r));
		cr_expect_eq(r.sink.sync.nr, 1);
		cr_expect(end_sync(&r));
		cr_expect_eq(r.sink.sync.nr, 1);
		check_file(&r, BLOCKS * BLOCK);
		tear_down(&r);
	}
}

/* Nothing but the time asks for it: sink_due_ns() says when. */
Test(sink, syncs_in_time_while_idle)
{
	struct rig r;

	for (unsigned i = 0; i < 2; i++) {
		set_up_synced(&r, kinds[i], false, NULL, 2 * TS_NS_PER_MS);
		cr_assert(write_blocks(&r));
		while (r.sink.sync.is_under_way || r.sink.sync.due_ns != TS_TIME_NEVER) {
			cr_assert_geq(wait_next(&r.wait, sink_due_ns(&r.sink), &r.err), 0);
			cr_assert_eq(sink_look(&r.sink), SINK_IDLE);
		}
		cr_expect_geq(r.sink.sync.nr, 1);
		cr_expect_geq(r.sink.sync.max_ns, 1);
		tear_down(&r);
	}
}

/* The next block is handed over while a sync is under way: both end, and nothing is mixed up. */
Test(sink, writes_and_syncs_at_the_same_time)
{
	struct rig r;

	for (unsigned i = 0; i < 4; i++) {
		set_up_synced(&r, kinds[i / 2], i % 2, NULL, 2); /* due at once, after each block */
		cr_assert(write_blocks(&r));
		cr_expect(end_sync(&r));
		cr_expect_geq(r.sink.sync.nr, 1);
		check_file(&r, BLOCKS * BLOCK);
		tear_down(&r);
	}
}

Test(sink, fails_when_a_sync_fails_and_keeps_what_was_written)
{
	struct sink_faults first = {.sync_errno = EIO};
	struct sink_faults later = {.sync_errno = EIO, .sync_fail_at = 1};
	struct rig r;

	for (unsigned i = 0; i < 4; i++) {
		set_up_synced(&r, kinds[i / 2], false, i % 2 ? &later : &first, 2);
		while (write_blocks(&r) && end_sync(&r))
			r.nr_written = 0;
		cr_expect_eq(sink_look(&r.sink), SINK_FAILED);
		cr_expect_eq(r.sink.error.code, EIO);
		cr_expect_not_null(strstr(r.sink.error.text, r.path));
		cr_expect_not_null(strstr(r.sink.error.text, "sync"));
		cr_expect_eq(r.sink.file_bytes % BLOCK, 0);
		cr_expect_eq(sink_due_ns(&r.sink), TS_TIME_NEVER);
		cr_expect(sink_end_sync(&r.sink));
		tear_down(&r);
	}
}

/* The writer hands over the next block before it hears of the sync that failed. */
Test(sink, takes_no_block_after_a_sync_that_failed)
{
	struct sink_block b = {.len = BLOCK};
	struct rig r;

	set_up_synced(&r, SINK_PWRITE, false, NULL, TS_NS_PER_SEC);
	cr_assert(write_blocks(&r));
	sink_synced(&r.sink, -EIO);
	sink_write(&r.sink, &b);
	cr_expect_eq(sink_look(&r.sink), SINK_FAILED);
	cr_expect_eq(r.sink.file_bytes, BLOCKS * BLOCK);
	tear_down(&r);
}
