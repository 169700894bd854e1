// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/writer.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/fake_ring.h"
#include "tests/support/stream_check.h"

#define RING_BYTES 65536

static struct fake_ring fakes[2];
static struct ring rings[2];
static struct ring *refs[] = {&rings[0], &rings[1]};
static struct ts_stop stop;
static struct ts_error err;
static char path[64];
static struct stream_check got;
static struct writer_stats stats;

static const enum sink_kind kinds[] = {SINK_URING, SINK_PWRITE};

static struct writer_plan set_up(enum sink_kind kind, uint64_t flush_ms)
{
	struct writer_plan plan = {
		.rings = refs,
		.nr_rings = 2,
		.stream_path = path,
		.sink = kind,
		.flush_ns = flush_ms * TS_NS_PER_MS,
		.nr_buffers = 2,
		.buffer_bytes = WRITER_BUFFER_BYTES_MIN,
		.failure = &stop,
		.number = 7,
	};

	for (unsigned i = 0; i < 2; i++) {
		fake_ring_init(&fakes[i], RING_BYTES);
		fake_ring_open(&fakes[i], &rings[i], i, TS_RING_SAMPLES);
	}
	strcpy(path, "/tmp/tstream-writer-XXXXXX");
	plan.file.fd = mkostemp(path, O_CLOEXEC);
	plan.file.align = 4096;
	cr_assert_eq(ts_stop_init(&stop, &err), 0);
	return plan;
}

static void tear_down(const struct writer_plan *plan, struct writer *w)
{
	writer_free(w);
	ts_stop_release(&stop);
	close(plan->file.fd);
	unlink(path);
	for (unsigned i = 0; i < 2; i++) {
		ring_close(&rings[i]);
		fake_ring_release(&fakes[i]);
	}
}

static struct writer *start(const struct writer_plan *plan)
{
	struct writer *w = writer_new(plan, &err);

	cr_assert_not_null(w, "%s", err.text);
	cr_assert_eq(writer_start(w, &err), 0, "%s", err.text);
	return w;
}

static void put(unsigned ring, unsigned nr)
{
	while (nr--)
		cr_assert(fake_ring_put_sample(&fakes[ring], 64));
}

static void sleep_ms(unsigned ms)
{
	struct timespec ts = ts_clock_timespec(ms * TS_NS_PER_MS);

	nanosleep(&ts, NULL);
}

Test(writer, drains_what_the_rings_hold_when_it_is_stopped)
{
	for (unsigned k = 0; k < 2; k++) {
		struct writer_plan plan = set_up(kinds[k], 10000);
		struct writer *w = start(&plan);

		put(0, 10);
		put(1, 700);
		writer_stop(w);
		writer_stop(w);
		cr_assert_eq(writer_join(w, &err), 0);
		cr_assert_eq(writer_join(w, &err), 0);
		cr_assert(stream_check(path, &got), "%s", got.problem);
		cr_assert(got.has_footer);
		cr_assert_eq(got.samples[0], 10);
		cr_assert_eq(got.samples[1], 700);
		writer_read_stats(w, &stats);
		cr_assert_eq(stats.samples, 710);
		cr_assert_eq(stats.records, 710);
		cr_assert_not(ts_stop_is_raised(&stop));
		tear_down(&plan, w);
	}
}

/* It is woken by that ring, too: the flush is far away. */
Test(writer, drains_a_ring_that_is_opened_while_it_runs)
{
	for (unsigned k = 0; k < 2; k++) {
		struct writer_plan plan = set_up(kinds[k], 100000);
		struct ring late = rings[1];
		struct writer *w;

		rings[1] = (struct ring){0};
		w = start(&plan);
		put(0, 10);
		rings[1] = late;
		writer_add_ring(w, 1);
		put(1, 700);
		do {
			sleep_ms(1);
			writer_read_stats(w, &stats);
		} while (!stats.samples);
		writer_stop(w);
		cr_assert_eq(writer_join(w, &err), 0);
		cr_assert(stream_check(path, &got), "%s", got.problem);
		cr_assert_eq(got.samples[0], 10);
		cr_assert_eq(got.samples[1], 700);
		tear_down(&plan, w);
	}
}

Test(writer, takes_a_ring_that_is_opened_at_the_end_and_lives_without)
{
	for (unsigned k = 0; k < 4; k++) {
		struct writer_plan plan = set_up(kinds[k % 2], 100000);
		struct ring late = rings[1];
		struct writer *w;

		rings[1] = (struct ring){0};
		w = start(&plan);
		put(0, 10);
		put(1, 20);
		rings[1] = late;
		if (k < 2)
			writer_add_ring(w, 1);
		writer_stop(w);
		cr_assert_eq(writer_join(w, &err), 0);
		cr_assert(stream_check(path, &got), "%s", got.problem);
		cr_assert_eq(got.samples[0], 10);
		cr_assert_eq(got.samples[1], k < 2 ? 20 : 0);
		tear_down(&plan, w);
	}
}

/* No block follows the footer that could tell of it. */
Test(writer, tells_of_a_sync_that_fails_at_the_end)
{
	struct sink_faults faults = {.delay_ms = 100, .sync_errno = EIO};

	for (unsigned k = 0; k < 2; k++) {
		struct writer_plan plan = set_up(kinds[k], 10000);
		struct writer *w;

		plan.sync_ns = TS_NS_PER_MS;
		plan.faults = &faults;
		w = start(&plan);
		put(0, 10);
		writer_stop(w);
		cr_assert_eq(writer_join(w, &err), -EIO);
		cr_assert(strstr(err.text, "cannot sync"), "%s", err.text);
		cr_assert(ts_stop_is_raised(&stop));
		cr_assert(stream_check(path, &got), "%s", got.problem);
		cr_assert_eq(got.samples[0], 10);
		tear_down(&plan, w);
	}
}

Test(writer, closes_an_empty_stream_with_a_footer)
{
	struct writer_plan plan = set_up(SINK_AUTO, 1000);
	struct writer *w = start(&plan);

	writer_stop(w);
	cr_assert_eq(writer_join(w, &err), 0);
	cr_assert(stream_check(path, &got), "%s", got.problem);
	cr_assert(got.has_footer);
	cr_assert_eq(got.chunks, 0);
	tear_down(&plan, w);
}

/* Too few records to wake anybody: the flush brings them, in time. */
static uint64_t samples_written(void)
{
	cr_assert(stream_check(path, &got), "%s", got.problem);
	return got.samples[0];
}

/* A busy machine writes late now and then: the time that it took must be kept by one of several tries. */
static bool is_written_in_time(uint64_t *nr, unsigned pause_ms)
{
	for (unsigned try = 0; try < 5; try++) {
		sleep_ms(pause_ms);
		put(0, 3);
		*nr += 3;
		sleep_ms(400);
		if (samples_written() == *nr)
			return true;
		for (unsigned i = 0; i < 100 && samples_written() < *nr; i++)
			sleep_ms(100);
	}
	return false;
}

Test(writer, lets_no_record_wait_longer_than_the_flush_time)
{
	for (unsigned k = 0; k < 2; k++) {
		struct writer_plan plan = set_up(kinds[k], 400);
		struct writer *w = start(&plan);
		uint64_t nr = 0;

		for (unsigned i = 0; i < 3; i++)
			cr_assert(is_written_in_time(&nr, 70 + 90 * i));
		tear_down(&plan, w);
	}
}

Test(writer, sleeps_while_there_is_nothing_to_do)
{
	for (unsigned k = 0; k < 2; k++) {
		struct writer_plan plan = set_up(kinds[k], 200);
		struct writer *w = start(&plan);
		uint64_t start_ns = ts_clock_now_ns();

		sleep_ms(1000);
		writer_read_stats(w, &stats);
		cr_assert_leq(stats.wakeups,
			      (ts_clock_now_ns() - start_ns) / TS_NS_PER_MS / 150 + 2);
		tear_down(&plan, w);
	}
}

Test(writer, drops_the_output_of_a_null_sink_and_counts_it)
{
	struct writer_plan plan = set_up(SINK_NULL, 1000);
	struct writer *w = start(&plan);

	put(0, 700);
	writer_stop(w);
	cr_assert_eq(writer_join(w, &err), 0);
	writer_read_stats(w, &stats);
	cr_assert_eq(stats.records, 700);
	cr_assert_gt(stats.stream_bytes, 700 * 64);
	cr_assert_str_eq(writer_io_name(w), "null");
	cr_assert(stream_check(path, &got));
	cr_assert_eq(got.bytes, 0);
	tear_down(&plan, w);
}

/* A ring that is more than half full is not compressed. */
Test(writer, keeps_the_records_of_a_plain_chunk_that_fit_on_a_full_disk_with_compression)
{
	const struct sink_faults full = {.fail_errno = ENOSPC, .fail_times = 1};

	for (unsigned k = 0; k < 2; k++) {
		struct writer_plan plan = set_up(kinds[k], 1000);
		struct writer *w;

		plan.compression_level = 1;
		plan.faults = &full;
		put(0, 900);
		w = start(&plan);
		writer_stop(w);
		cr_assert_eq(writer_join(w, &err), -ENOSPC);
		cr_assert(stream_check(path, &got), "%s", got.problem);
		writer_read_stats(w, &stats);
		cr_expect_gt(got.samples[0], 400);
		cr_expect_eq(got.samples[0] + stats.unwritten_samples, 900);
		tear_down(&plan, w);
	}
}

Test(writer, reports_a_ring_that_cannot_be_and_keeps_the_others)
{
	struct writer_plan plan = set_up(SINK_AUTO, 50);
	struct writer *w = start(&plan);

	put(0, 5);
	put(1, 9);
	__atomic_store_n(&rings[0].page->data_head, 1 << 30, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 100 && !ts_stop_is_raised(&stop); i++)
		sleep_ms(20);
	cr_assert(ts_stop_is_raised(&stop));
	writer_stop(w);
	cr_assert_eq(writer_join(w, &err), -EBADMSG);
	cr_assert(strstr(err.text, "cannot read the ring of CPU 0"));
	cr_assert(stream_check(path, &got), "%s", got.problem);
	cr_assert_eq(got.samples[1], 9);
	tear_down(&plan, w);
}

Test(writer, says_at_the_start_what_it_cannot_have)
{
	struct writer_plan plan = set_up(SINK_AUTO, 1000);
	struct writer *w;

	rings[1].poll_fd = 9999;
	w = writer_new(&plan, &err);
	cr_assert_not_null(w);
	cr_assert_eq(writer_start(w, &err), -EBADF);
	cr_assert(strstr(err.text, "cannot wait for descriptor 9999"));
	tear_down(&plan, w);
}

Test(writer, refuses_a_plan_that_cannot_work)
{
	struct writer_plan plan = set_up(SINK_AUTO, 1000), bad;

	bad = plan;
	bad.nr_buffers = 1;
	cr_assert_null(writer_new(&bad, &err));
	bad = plan;
	bad.buffer_bytes = 4096;
	cr_assert_null(writer_new(&bad, &err));
	bad = plan;
	bad.flush_ns = 1000;
	cr_assert_null(writer_new(&bad, &err));
	cr_assert(strstr(err.text, "1 ms"));
	bad = plan;
	bad.compression_level = 99;
	cr_assert_null(writer_new(&bad, &err));
	cr_assert_eq(err.code, EINVAL);
	tear_down(&plan, NULL);
}

/* Cpus_allowed_list of the thread of ours with that name; empty: there is none. */
static void read_affinity(const char *name, char *ret, size_t size)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;
	char file[300], line[256];

	ret[0] = 0;
	while ((e = readdir(dir))) {
		bool is_it = false;
		FILE *f;

		snprintf(file, sizeof(file), "/proc/self/task/%s/status", e->d_name);
		f = fopen(file, "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (!strncmp(line, "Name:", 5))
				is_it = strstr(line, name);
			if (is_it && !strncmp(line, "Cpus_allowed_list:\t", 19))
				snprintf(ret, size, "%.*s", (int)strcspn(line + 19, "\n"),
					 line + 19);
		}
		if (f)
			fclose(f);
	}
	closedir(dir);
}

Test(writer, runs_with_its_helpers_where_it_was_told)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int cpu = sched_getcpu();
	char expected[16], list[64];

	hwloc_bitmap_only(cpus, (unsigned)cpu);
	snprintf(expected, sizeof(expected), "%d", cpu);
	for (unsigned k = 0; k < 2; k++) {
		struct writer_plan plan = set_up(kinds[k], 20);
		struct writer *w;

		plan.cpus = cpus;
		w = start(&plan);
		put(0, 700);
		sleep_ms(100);
		read_affinity("tstream-w07", list, sizeof(list));
		cr_assert_str_eq(list, expected);
		read_affinity(k ? "tstream-p07" : "iou-wrk", list, sizeof(list));
		/* A file system that never makes a write wait needs no worker. */
		cr_assert(!strcmp(list, expected) || (k == 0 && !list[0]), "%s", list);
		tear_down(&plan, w);
	}
	hwloc_bitmap_free(cpus);
}

/* As in a container whose seccomp filter knows no io_uring. */
static void forbid_io_uring(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = 4, .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		cr_skip_test("no seccomp filters here");
}

Test(writer, takes_pwrite_where_io_uring_is_refused)
{
	struct writer_plan plan = set_up(SINK_AUTO, 1000);
	struct writer *w;

	forbid_io_uring();
	w = start(&plan);
	cr_assert_str_eq(writer_io_name(w), "pwrite");
	put(0, 10);
	writer_stop(w);
	cr_assert_eq(writer_join(w, &err), 0);
	cr_assert(stream_check(path, &got), "%s", got.problem);
	cr_assert_eq(got.samples[0], 10);
	tear_down(&plan, w);
}

Test(writer, says_so_where_io_uring_was_asked_for_and_is_refused)
{
	struct writer_plan plan = set_up(SINK_URING, 1000);
	struct writer *w;

	forbid_io_uring();
	w = writer_new(&plan, &err);
	cr_assert_eq(writer_start(w, &err), -EPERM);
	cr_assert_str_eq(err.text, "cannot set up io_uring: the system does not permit it");
	cr_assert(strstr(err.hint, "--io=pwrite"));
	tear_down(&plan, w);
}

Test(writer, can_be_freed_without_a_start_or_a_stop)
{
	struct writer_plan plan = set_up(SINK_AUTO, 1000);

	writer_free(NULL);
	writer_free(writer_new(&plan, &err));
	put(0, 5);
	writer_free(start(&plan));
	cr_assert(stream_check(path, &got), "%s", got.problem);
	cr_assert_eq(got.samples[0], 5);
	tear_down(&plan, NULL);
}
