// SPDX-License-Identifier: Apache-2.0
#include "tests/support/writer_scene.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"

void scene_check(struct scene_rig *r, bool ok, const char *what)
{
	if (ok)
		return;
	printf("# %s: wrong: %s\n", r->scene->name, what);
	r->failed = true;
}

static void make_rings(struct scene_rig *r)
{
	for (unsigned i = 0; i < SCENE_RINGS; i++) {
		fake_ring_init(&r->fakes[i], SCENE_RING_BYTES);
		r->fakes[i].cpu = i;
		fake_ring_start_at(&r->fakes[i], SCENE_RING_BYTES - 8 * (i + 1));
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

/* The part of a recorder's main thread: gives writers further buffers. */
static void serve(void *arg)
{
	struct scene_rig *r = arg;
	struct pollfd fd = {.fd = r->supply.fd, .events = POLLIN};

	while (!atomic_load(&r->has_ended))
		if (poll(&fd, 1, 20) > 0)
			buffer_supply_serve(&r->supply);
}

static bool start_supply(struct scene_rig *r)
{
	r->supply.fd = -1;
	if (!r->scene->is_supplied)
		return true;
	return buffer_supply_init(&r->supply, 1, 64ull << 20, &r->error) == 0 &&
	       ts_thread_start(&r->supplier, "supplier", NULL, 0, serve, r, &r->error) == 0;
}

static bool make_writer(struct scene_rig *r)
{
	struct writer_plan plan = {
		.rings = r->refs,
		.nr_rings = SCENE_RINGS,
		.stream_path = r->path,
		.sink = r->scene->sink,
		.flush_ns = 100 * TS_NS_PER_MS,
		.sync_ns = r->scene->sync_ns,
		.compression_level = r->scene->compression_level,
		.nr_buffers = r->scene->nr_buffers,
		.buffer_bytes = 512u * 1024,
		.failure = &r->stop,
		.supply = r->scene->is_supplied ? &r->supply : NULL,
		.faults = &r->scene->faults,
		.uuid = {1, 2, 3},
	};

	strcpy(r->path, "/tmp/tstream-race-XXXXXX");
	r->fd = mkostemp(r->path, O_CLOEXEC);
	plan.file.fd = r->fd;
	plan.file.align = 4096;
	plan.file.direct = r->scene->direct && fcntl(r->fd, F_SETFL, O_DIRECT) == 0;
	if (!start_supply(r) || ts_stop_init(&r->stop, &r->error) < 0)
		return false;
	r->writer = writer_new(&plan, &r->error);
	return r->writer && writer_start(r->writer, &r->error) == 0;
}

static void run_producers(struct scene_rig *r)
{
	struct writer_stats now;

	for (unsigned i = 0; i < SCENE_RINGS; i++)
		fake_producer_start(&r->producers[i], i);
	writer_read_stats(r->writer, &now); /* any thread, any time */
	for (unsigned i = 0; i < SCENE_RINGS; i++)
		fake_producer_join(&r->producers[i]);
}

void scene_tear_down(struct scene_rig *r)
{
	atomic_store(&r->has_ended, true);
	ts_thread_join(&r->supplier);
	writer_free(r->writer);
	buffer_supply_release(&r->supply);
	ts_stop_release(&r->stop);
	for (unsigned i = 0; i < SCENE_RINGS; i++) {
		ring_close(&r->rings[i]);
		r->fakes[i].map_bytes = 0;
		fake_ring_release(&r->fakes[i]);
	}
	close(r->fd);
	unlink(r->path);
}

bool scene_play(struct scene_rig *r, const struct scene *scene)
{
	memset(r, 0, sizeof(*r));
	r->scene = scene;
	make_rings(r);
	if (!make_writer(r)) {
		printf("# %s: %s\n", scene->name, r->error.text);
		scene_check(r, r->error.code == EPERM || r->error.code == ENOSYS, "cannot start");
		return false;
	}
	run_producers(r);
	writer_stop(r->writer);
	r->join_rc = writer_join(r->writer, &r->error);
	writer_read_stats(r->writer, &r->stats);
	scene_check(r, stream_check(r->path, &r->got), r->got.problem);
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
static void check_timelines(struct scene_rig *r)
{
	uint64_t kept = 0, taken = 0, lost = 0;

	for (unsigned i = 0; i < SCENE_RINGS; i++) {
		const struct ts_timeline *t = writer_timeline(r->writer, i);

		kept += ts_timeline_sum(t, TS_LOSS_NONE);
		taken += ts_timeline_sum(t, TS_LOSS_DISK);
		lost += ts_timeline_sum(t, TS_LOSS_RING_FULL);
		scene_check(r, !t->untimed.nr[TS_LOSS_NONE], "a chunk without a time");
	}
	scene_check(r, kept == r->got.records,
		    "a timeline does not have the records of the stream");
	scene_check(r, kept + taken + lost == r->stats.records + r->stats.lost,
		    "the timelines do not add up to what was copied and what was lost");
	scene_check(r, taken == r->stats.unwritten_records + r->stats.lost_disk,
		    "a timeline does not have what the disk lost");
}

void scene_check_account(struct scene_rig *r)
{
	uint64_t offered = 0, got = 0;

	for (unsigned i = 0; i < SCENE_RINGS; i++) {
		const struct fake_ring *f = &r->fakes[i];

		offered += f->written;
		got += r->got.samples[i];
		scene_check(r,
			    r->got.samples[i] + f->lost == r->scene->nr_samples ||
				    r->stats.unwritten_records,
			    "samples kept and lost are not those offered");
		scene_check(r,
			    r->got.lost[i] + f->pending_lost == f->lost ||
				    r->stats.unwritten_records,
			    "the LOST records do not tell what was lost");
		scene_check(r, r->got.gaps[i] <= f->lost || r->stats.unwritten_records,
			    "a gap in the numbers that was not lost");
	}
	scene_check(r, offered == got + r->stats.unwritten_samples,
		    "what was written to the rings is neither kept nor counted");
	scene_check(r, r->got.records + r->stats.unwritten_records == r->stats.records,
		    "records of the statistics are not those of the stream");
	check_timelines(r);
}

bool scene_tell(const struct scene_rig *r)
{
	printf("%s - %s\n", r->failed ? "not ok" : "ok", r->scene->name);
	return !r->failed;
}
