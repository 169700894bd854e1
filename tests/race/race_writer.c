// SPDX-License-Identifier: Apache-2.0
/*
 * Writers over fake rings, with a producer thread a ring: whatever the sink does, each numbered
 * record is in data.N exactly once and in order, or it is accounted for. Also under ThreadSanitizer
 * (./configure --enable-tsan), which sees rings, counters, stop and the pwrite helper; what the
 * kernel does for io_uring it cannot see, and need not: a writer is the only thread that touches
 * its io_uring and its buffers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "streamer/writer.h"
#include "tests/support/fake_ring.h"
#include "tests/support/stream_check.h"

#define RINGS	   3
#define RING_BYTES (256u * 1024)

struct scene {
	const char *name;
	enum sink_kind sink;
	bool direct;
	int compression_level;
	uint32_t nr_buffers;
	uint64_t nr_samples; /* of each ring */
	size_t size_max;
	uint64_t burst, pause_us;
	bool loses; /* producers do not wait for room */
	uint64_t sync_ns;
	struct sink_faults faults;
};

struct rig {
	const struct scene *scene;
	struct fake_ring fakes[RINGS];
	struct ring rings[RINGS];
	struct ring *refs[RINGS];
	struct fake_producer producers[RINGS];
	struct ts_stop stop;
	struct writer *writer;
	struct writer_stats stats;
	struct stream_check got;
	char path[64];
	int fd;
	int join_rc;
	struct ts_error error; /* the writer's */
	bool failed;
};

static void check(struct rig *r, bool ok, const char *what)
{
	if (ok)
		return;
	printf("# %s: wrong: %s\n", r->scene->name, what);
	r->failed = true;
}

static void make_rings(struct rig *r)
{
	for (unsigned i = 0; i < RINGS; i++) {
		fake_ring_init(&r->fakes[i], RING_BYTES);
		r->fakes[i].cpu = i;
		fake_ring_start_at(&r->fakes[i], RING_BYTES - 8 * (i + 1));
		fake_ring_open(&r->fakes[i], &r->rings[i], i,
			       i ? TS_RING_SAMPLES : TS_RING_SIDEBAND);
		r->refs[i] = &r->rings[i];
		r->producers[i] = (struct fake_producer){
			.ring = &r->fakes[i],
			.nr_samples = r->scene->nr_samples,
			.size_min = FAKE_SAMPLE_BYTES_MIN,
			.size_max = r->scene->size_max,
			.burst = r->scene->burst,
			.pause_us = r->scene->pause_us,
			.waits = !r->scene->loses,
		};
	}
}

static bool make_writer(struct rig *r)
{
	struct writer_plan plan = {
		.rings = r->refs,
		.nr_rings = RINGS,
		.stream_path = r->path,
		.sink = r->scene->sink,
		.flush_ns = 100 * TS_NS_PER_MS,
		.sync_ns = r->scene->sync_ns,
		.compression_level = r->scene->compression_level,
		.nr_buffers = r->scene->nr_buffers,
		.buffer_bytes = 512u * 1024,
		.failure = &r->stop,
		.faults = &r->scene->faults,
		.uuid = {1, 2, 3},
	};

	strcpy(r->path, "/tmp/tstream-race-XXXXXX");
	r->fd = mkostemp(r->path, O_CLOEXEC);
	plan.file.fd = r->fd;
	plan.file.align = 4096;
	plan.file.direct = r->scene->direct && fcntl(r->fd, F_SETFL, O_DIRECT) == 0;
	if (ts_stop_init(&r->stop, &r->error) < 0)
		return false;
	r->writer = writer_new(&plan, &r->error);
	return r->writer && writer_start(r->writer, &r->error) == 0;
}

static void run_producers(struct rig *r)
{
	struct writer_stats now;

	for (unsigned i = 0; i < RINGS; i++)
		fake_producer_start(&r->producers[i], i);
	writer_read_stats(r->writer, &now); /* any thread, any time */
	for (unsigned i = 0; i < RINGS; i++)
		fake_producer_join(&r->producers[i]);
}

static void tear_down(struct rig *r)
{
	writer_free(r->writer);
	ts_stop_release(&r->stop);
	for (unsigned i = 0; i < RINGS; i++) {
		ring_close(&r->rings[i]);
		r->fakes[i].map_bytes = 0;
		fake_ring_release(&r->fakes[i]);
	}
	close(r->fd);
	unlink(r->path);
}

/* Plays a scene; false: io_uring is refused here. The rig is to be torn down then, too. */
static bool play(struct rig *r, const struct scene *scene)
{
	memset(r, 0, sizeof(*r));
	r->scene = scene;
	make_rings(r);
	if (!make_writer(r)) {
		printf("# %s: %s\n", scene->name, r->error.text);
		check(r, r->error.code == EPERM || r->error.code == ENOSYS, "cannot start");
		return false;
	}
	run_producers(r);
	writer_stop(r->writer);
	r->join_rc = writer_join(r->writer, &r->error);
	writer_read_stats(r->writer, &r->stats);
	check(r, stream_check(r->path, &r->got), r->got.problem);
	printf("# %s: %s, %llu records, %llu chunks, %llu blocks, lost %llu (disk %llu), "
	       "unwritten %llu, %llu wakeups, starved %.1f ms\n",
	       scene->name, writer_io_name(r->writer), (unsigned long long)r->stats.records,
	       (unsigned long long)r->stats.chunks, (unsigned long long)r->stats.blocks,
	       (unsigned long long)r->stats.lost, (unsigned long long)r->stats.lost_disk,
	       (unsigned long long)r->stats.unwritten_records, (unsigned long long)r->stats.wakeups,
	       (double)r->stats.starved_ns / 1e6);
	return true;
}

/* The timelines have every record that was copied, as kept or as the disk's, and every loss told. */
static void check_timelines(struct rig *r)
{
	uint64_t kept = 0, taken = 0, lost = 0;

	for (unsigned i = 0; i < RINGS; i++) {
		const struct ts_timeline *t = writer_timeline(r->writer, i);

		kept += ts_timeline_sum(t, TS_LOSS_NONE);
		taken += ts_timeline_sum(t, TS_LOSS_DISK);
		lost += ts_timeline_sum(t, TS_LOSS_RING_FULL);
		check(r, !t->untimed.nr[TS_LOSS_NONE], "a chunk without a time");
	}
	check(r, kept == r->got.records, "a timeline does not have the records of the stream");
	check(r, kept + taken + lost == r->stats.records + r->stats.lost,
	      "the timelines do not add up to what was copied and what was lost");
	check(r, taken == r->stats.unwritten_records + r->stats.lost_disk,
	      "a timeline does not have what the disk lost");
}

/* Every sample is in the stream, or lost by the ring and told so. */
static void check_account(struct rig *r)
{
	uint64_t offered = 0, got = 0;

	for (unsigned i = 0; i < RINGS; i++) {
		const struct fake_ring *f = &r->fakes[i];

		offered += f->written;
		got += r->got.samples[i];
		check(r,
		      r->got.samples[i] + f->lost == r->scene->nr_samples ||
			      r->stats.unwritten_records,
		      "samples kept and lost are not those offered");
		check(r, r->got.lost[i] + f->pending_lost == f->lost || r->stats.unwritten_records,
		      "the LOST records do not tell what was lost");
		check(r, r->got.gaps[i] <= f->lost || r->stats.unwritten_records,
		      "a gap in the numbers that was not lost");
	}
	check(r, offered == got + r->stats.unwritten_samples,
	      "what was written to the rings is neither kept nor counted");
	check(r, r->got.records + r->stats.unwritten_records == r->stats.records,
	      "records of the statistics are not those of the stream");
	check_timelines(r);
}

static bool play_and_check(const struct scene *scene)
{
	struct rig r;

	if (play(&r, scene)) {
		check(&r, r.join_rc == 0, r.error.text);
		check(&r, r.got.has_footer && !r.got.is_cut, "the stream has no end");
		check(&r, r.stats.stream_bytes <= r.got.bytes, "more bytes than the file has");
		check(&r, r.stats.unwritten_records == 0, "unwritten records");
		if (!scene->loses)
			check(&r, r.stats.lost == 0, "records were lost");
		check_account(&r);
	}
	tear_down(&r);
	printf("%s - %s\n", r.failed ? "not ok" : "ok", scene->name);
	return !r.failed;
}

/* A completion takes 50 ms, but nobody waits for it: the rings are drained meanwhile. */
static bool play_delayed(const struct scene *scene)
{
	uint64_t gap_ns = 0;
	struct rig r;

	for (unsigned tries = 0; tries < 3; tries++) {
		gap_ns = 0;
		if (play(&r, scene)) {
			check(&r, r.join_rc == 0, r.error.text);
			check(&r, r.stats.write_max_ns >= 50 * TS_NS_PER_MS, "no write was late");
			check_account(&r);
			for (unsigned i = 0; i < RINGS; i++)
				if (r.fakes[i].gap_max_ns > gap_ns)
					gap_ns = r.fakes[i].gap_max_ns;
			printf("# %s: longest wait of a ring at its watermark %.2f ms\n",
			       scene->name, (double)gap_ns / 1e6);
		}
		tear_down(&r);
		/* A busy machine may keep one of us from running; it seldom does so thrice. */
		if (r.failed || gap_ns < 25 * TS_NS_PER_MS)
			break;
	}
	check(&r, gap_ns < 25 * TS_NS_PER_MS, "a ring waited for a write");
	printf("%s - %s\n", r.failed ? "not ok" : "ok", scene->name);
	return !r.failed;
}

/* The disk fails: the stop flag goes up, nothing hangs, what was not written is counted. */
static bool play_failing(const struct scene *scene)
{
	struct rig r;

	if (play(&r, scene)) {
		check(&r, r.join_rc == -EIO, "the failure was not reported");
		check(&r, strstr(r.error.text, r.path) != NULL, "the sentence lacks the file");
		check(&r, ts_stop_is_raised(&r.stop), "the stop flag is down");
		check(&r, r.stats.unwritten_records > 0, "nothing counts as unwritten");
		check(&r, !r.got.has_footer, "a footer after a failure");
		check_account(&r);
	}
	tear_down(&r);
	printf("%s - %s\n", r.failed ? "not ok" : "ok", scene->name);
	return !r.failed;
}

/* However late the failure is told: it is the end, and the account holds. */
static bool play_sync_failing(const struct scene *scene)
{
	struct rig r;

	if (play(&r, scene)) {
		check(&r, r.join_rc == -EIO, "the failure was not reported");
		check(&r, strstr(r.error.text, r.path) != NULL, "the sentence lacks the file");
		check(&r, ts_stop_is_raised(&r.stop), "the stop flag is down");
		check_account(&r);
	}
	tear_down(&r);
	printf("%s - %s\n", r.failed ? "not ok" : "ok", scene->name);
	return !r.failed;
}

#define STEADY .nr_buffers = 2, .nr_samples = 60000, .size_max = 600, .burst = 200, .pause_us = 300

static const struct scene scenes[] = {
	{"io_uring, direct", SINK_URING, .direct = true, STEADY},
	{"io_uring, buffered", SINK_URING, STEADY},
	{"io_uring, buffered, compressed", SINK_URING, .compression_level = 1, STEADY},
	{"pwrite, direct", SINK_PWRITE, .direct = true, STEADY},
	{"pwrite, buffered, compressed", SINK_PWRITE, .compression_level = 3, STEADY},
	{"io_uring, short writes", SINK_URING, .faults.short_every = 3, STEADY},
	{"pwrite, samples up to 65528 bytes", SINK_PWRITE, .nr_buffers = 2, .nr_samples = 3000,
	 .size_max = 65528, .burst = 10, .pause_us = 500},
	{"io_uring, bursts that overrun the rings", SINK_URING, .direct = true, .nr_buffers = 2,
	 .nr_samples = 200000, .size_max = 200, .burst = 20000, .pause_us = 2000, .loses = true},
	{"io_uring, direct, synced", SINK_URING, .direct = true, .sync_ns = TS_NS_PER_MS, STEADY},
	{"io_uring, compressed, synced", SINK_URING, .compression_level = 1,
	 .sync_ns = TS_NS_PER_MS, STEADY},
	{"pwrite, synced", SINK_PWRITE, .sync_ns = TS_NS_PER_MS, STEADY},
	{"pwrite, a disk that lags", SINK_PWRITE, .nr_buffers = 2, .nr_samples = 40000,
	 .size_max = 200, .burst = 1000, .pause_us = 3000, .loses = true, .faults.delay_ms = 100},
};

static const struct scene sync_failing[] = {
	{"io_uring, direct, a sync fails", SINK_URING, .direct = true, .sync_ns = 1000, STEADY,
	 .faults.sync_errno = EIO},
	{"io_uring, compressed, a sync fails", SINK_URING, .compression_level = 1, .sync_ns = 1000,
	 STEADY, .faults.sync_errno = EIO},
	{"pwrite, a sync fails", SINK_PWRITE, .sync_ns = 1000, STEADY, .faults.sync_errno = EIO},
};

static const struct scene delayed[] = {
	{"io_uring, completions 50 ms late", SINK_URING, .direct = true, .nr_buffers = 8,
	 .nr_samples = 10000, .size_max = 200, .burst = 50, .pause_us = 3000,
	 .faults.delay_ms = 50},
	{"pwrite, completions 50 ms late", SINK_PWRITE, .nr_buffers = 8, .nr_samples = 10000,
	 .size_max = 200, .burst = 50, .pause_us = 3000, .faults.delay_ms = 50},
};

static const struct scene failing[] = {
	{"io_uring, the disk fails", SINK_URING, .direct = true, STEADY, .faults.fail_at = 5,
	 .faults.fail_errno = EIO},
	{"io_uring, the disk fails inside a block", SINK_URING, .direct = true, STEADY,
	 .faults.short_every = 2, .faults.fail_at = 9, .faults.fail_errno = EIO},
	{"pwrite, the disk fails", SINK_PWRITE, STEADY, .faults.fail_at = 100,
	 .faults.fail_errno = EIO},
	{"pwrite, compressed, the disk fails", SINK_PWRITE, .compression_level = 1, STEADY,
	 .faults.fail_at = 14, .faults.fail_errno = EIO},
};

#define NR(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	bool ok = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < NR(scenes); i++)
		ok &= play_and_check(&scenes[i]);
	for (size_t i = 0; i < NR(delayed); i++)
		ok &= play_delayed(&delayed[i]);
	for (size_t i = 0; i < NR(failing); i++)
		ok &= play_failing(&failing[i]);
	for (size_t i = 0; i < NR(sync_failing); i++)
		ok &= play_sync_failing(&sync_failing[i]);
	return ok ? 0 : 1;
}
