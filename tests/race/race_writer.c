// SPDX-License-Identifier: Apache-2.0
/*
 * Writers over fake rings, with a producer thread for each ring. However the sink behaves, each
 * numbered record is in data.N exactly once and in order, or it is accounted for.
 *
 * The test also runs under ThreadSanitizer (./configure --enable-tsan), which sees rings, counters,
 * stop and the pwrite helper. It cannot see the kernel's part of io_uring, and need not: a writer
 * is the only thread that touches its io_uring and its buffers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/writer_scene.h"

static bool play_and_check(const struct scene *scene)
{
	struct scene_rig r;

	if (scene_play(&r, scene)) {
		scene_check(&r, r.join_rc == 0, r.error.text);
		scene_check(&r, r.got.has_footer && !r.got.is_cut, "the stream has no end");
		scene_check(&r, r.stats.stream_bytes <= r.got.bytes,
			    "more bytes than the file has");
		scene_check(&r, r.stats.unwritten_records == 0, "unwritten records");
		if (scene->is_supplied)
			scene_check(&r, r.stats.buffers > scene->nr_buffers,
				    "no further buffers came");
		if (!scene->loses)
			scene_check(&r, r.stats.lost == 0, "records were lost");
		scene_check_account(&r);
	}
	scene_tear_down(&r);
	return scene_tell(&r);
}

/* A completion takes 50 ms, but nobody waits for it: the rings are drained meanwhile. */
static bool play_delayed(const struct scene *scene)
{
	uint64_t gap_ns = 0;
	struct scene_rig r;

	for (unsigned tries = 0; tries < 3; tries++) {
		gap_ns = 0;
		if (scene_play(&r, scene)) {
			scene_check(&r, r.join_rc == 0, r.error.text);
			scene_check(&r, r.stats.write_max_ns >= 50 * TS_NS_PER_MS,
				    "no write was late");
			scene_check_account(&r);
			for (unsigned i = 0; i < SCENE_RINGS; i++)
				if (r.fakes[i].gap_max_ns > gap_ns)
					gap_ns = r.fakes[i].gap_max_ns;
			printf("# %s: longest wait of a ring at its watermark %.2f ms\n",
			       scene->name, (double)gap_ns / 1e6);
		}
		scene_tear_down(&r);
		/* A busy machine may keep one of us from running; it seldom does so thrice. */
		if (r.failed || gap_ns < 25 * TS_NS_PER_MS)
			break;
	}
	scene_check(&r, gap_ns < 25 * TS_NS_PER_MS, "a ring waited for a write");
	return scene_tell(&r);
}

/* The disk fails: the stop flag goes up, nothing hangs, what was not written is counted. */
static bool play_failing(const struct scene *scene)
{
	struct scene_rig r;

	if (scene_play(&r, scene)) {
		scene_check(&r, r.join_rc == -EIO, "the failure was not reported");
		scene_check(&r, strstr(r.error.text, r.path) != NULL,
			    "the sentence lacks the file");
		scene_check(&r, ts_stop_is_raised(&r.stop), "the stop flag is down");
		scene_check(&r, r.stats.unwritten_records > 0, "nothing counts as unwritten");
		scene_check(&r, !r.got.has_footer, "a footer after a failure");
		scene_check_account(&r);
	}
	scene_tear_down(&r);
	return scene_tell(&r);
}

/* However late the failure is told: it is the end, and the account holds. */
static bool play_sync_failing(const struct scene *scene)
{
	struct scene_rig r;

	if (scene_play(&r, scene)) {
		scene_check(&r, r.join_rc == -EIO, "the failure was not reported");
		scene_check(&r, strstr(r.error.text, r.path) != NULL,
			    "the sentence lacks the file");
		scene_check(&r, ts_stop_is_raised(&r.stop), "the stop flag is down");
		scene_check_account(&r);
	}
	scene_tear_down(&r);
	return scene_tell(&r);
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
	{"io_uring, a disk that lags, further buffers", SINK_URING, .direct = true, .nr_buffers = 2,
	 .nr_samples = 30000, .size_max = 400, .burst = 1000, .pause_us = 1000, .is_supplied = true,
	 .faults.delay_ms = 50},
	{"pwrite, a disk that lags, further buffers", SINK_PWRITE, .nr_buffers = 2,
	 .nr_samples = 30000, .size_max = 400, .burst = 1000, .pause_us = 1000, .is_supplied = true,
	 .faults.delay_ms = 50},
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
