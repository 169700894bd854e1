// SPDX-License-Identifier: Apache-2.0
/* Draining of side-band beside rings of samples. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "streamer/rings/task_filter.h"
#include "tests/support/drain_scene.h"

#define SAMPLES	 0
#define SIDEBAND 1

static struct drain_scene scene;
static struct sideband_gap gap;

static void set_up(unsigned nr_buffers)
{
	struct ts_error err;

	cr_assert_eq(sideband_gap_init(&gap, &err), 0);
	drain_scene_open(&scene, TS_RING_SIDEBAND, nr_buffers,
			 (struct drain_plan){.clock = DRAIN_NO_CLOCK, .gap = &gap});
}

static void tear_down(void)
{
	drain_scene_close(&scene);
	sideband_gap_release(&gap);
}

static void put(unsigned ring, size_t bytes)
{
	for (; bytes >= 64; bytes -= 64)
		fake_ring_put_sample(&scene.fakes[ring], 64);
}

/* Samples fill all buffers that they may have. */
static void fill_buffers(void)
{
	do
		put(SAMPLES, DRAIN_SCENE_RING_BYTES);
	while (drain_step(&scene.drain) != DRAIN_NO_BUFFER);
}

Test(drain_sideband, goes_before_a_full_ring_of_samples_from_an_eighth_on)
{
	set_up(4);
	put(SAMPLES, DRAIN_SCENE_RING_BYTES - 64);
	put(SIDEBAND, DRAIN_SCENE_RING_BYTES / 8 - 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_expect_eq(ring_pending(&scene.rings[SAMPLES]), 0, "less than an eighth waits");
	put(SAMPLES, DRAIN_SCENE_RING_BYTES - 64);
	put(SIDEBAND, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_expect_eq(ring_pending(&scene.rings[SIDEBAND]), 0);
	cr_expect_eq(ring_pending(&scene.rings[SAMPLES]), DRAIN_SCENE_RING_BYTES - 64);
	tear_down();
}

Test(drain_sideband, has_the_last_buffer_alone)
{
	set_up(4);
	fill_buffers();
	cr_expect_eq(scene.pool.nr_free, 1);
	for (unsigned i = 0; i < 3; i++) {
		put(SIDEBAND, DRAIN_SCENE_RING_BYTES / 2);
		cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
		cr_expect_eq(ring_pending(&scene.rings[SIDEBAND]), 0);
		cr_assert_eq(drain_step(&scene.drain), DRAIN_NO_BUFFER,
			     "samples wait all the same");
	}
	/* a buffer is back from the disk: now that one is kept */
	buffer_free(&scene.pool, buffer_next(&scene.pool));
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_expect_eq(ring_pending(&scene.rings[SAMPLES]), 0);
	tear_down();
}

Test(drain_sideband, waits_as_well_if_there_are_two_buffers)
{
	set_up(2);
	fill_buffers();
	cr_expect_eq(scene.pool.nr_free, 0);
	put(SIDEBAND, DRAIN_SCENE_RING_BYTES / 2);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_NO_BUFFER);
	tear_down();
}

/* No record follows that could report the loss. */
Test(drain_sideband, reports_a_ring_that_was_full)
{
	set_up(4);
	put(SAMPLES, 2 * DRAIN_SCENE_RING_BYTES);
	put(SIDEBAND, DRAIN_SCENE_RING_BYTES / 2);
	while (drain_step(&scene.drain) == DRAIN_TOOK)
		;
	cr_expect_eq(sideband_gap_take(&gap), 0, "samples are lost, and names are not");
	put(SIDEBAND, 2 * DRAIN_SCENE_RING_BYTES);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_expect_neq(sideband_gap_take(&gap), 0);
	cr_expect_eq(sideband_gap_take(&gap), 0, "it is taken once");
	tear_down();
}

Test(drain_sideband, reports_since_when_records_are_lost)
{
	uint64_t since_ns;

	set_up(4);
	put(SIDEBAND, 2 * DRAIN_SCENE_RING_BYTES);
	drain_step(&scene.drain);
	since_ns = sideband_gap_take(&gap);
	cr_assert_eq(since_ns,
		     ts_counter_read(&scene.drain.rings[SIDEBAND].counters[0].time_max_ns));
	put(SIDEBAND, DRAIN_SCENE_RING_BYTES / 4); /* the first of these is a LOST record */
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_expect_eq(sideband_gap_take(&gap), since_ns, "the time of the last whole record");
	tear_down();
}

/* COMM records of processes that are not recorded, as many as fit. */
static void put_foreign(void)
{
	uint8_t record[64] = {0};
	const struct perf_event_header hdr = {.type = PERF_RECORD_COMM, .size = sizeof(record)};
	const uint32_t pid = (uint32_t)getppid();

	memcpy(record, &hdr, sizeof(hdr));
	memcpy(record + sizeof(hdr), &pid, sizeof(pid));
	while (fake_ring_put(&scene.fakes[SIDEBAND], record))
		;
}

Test(drain_sideband, reports_a_ring_that_was_full_of_foreign_tasks)
{
	struct task_filter filter;
	struct ts_error err;

	set_up(4);
	cr_assert_eq(task_filter_init(&filter, true, &err), 0, "%s", err.text);
	cr_assert_eq(task_filter_set_targets(&filter, NULL, 0, &err), 0, "%s", err.text);
	scene.rings[SIDEBAND].tasks = &filter;
	put(SIDEBAND, 64);
	put_foreign();
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_expect_eq(ts_counter_read(&scene.drain.rings[SIDEBAND].counters[0].records), 1);
	cr_expect_neq(sideband_gap_take(&gap), 0, "one record of them stayed");
	/* else the kernel reports it with the next record */
	scene.fakes[SIDEBAND].pending_lost = 0;
	put_foreign();
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_expect_eq(ts_counter_read(&scene.drain.rings[SIDEBAND].counters[0].records), 1);
	cr_expect_neq(sideband_gap_take(&gap), 0, "none of them stayed");
	cr_expect_not(scene.drain.rings[SIDEBAND].is_high, "it was drained");
	tear_down();
	task_filter_release(&filter);
}

Test(sideband_gap, keeps_the_earliest_time)
{
	struct ts_error err;

	cr_assert_eq(sideband_gap_init(&gap, &err), 0);
	sideband_gap_report(&gap, 20);
	sideband_gap_report(&gap, 10);
	sideband_gap_report(&gap, 30);
	cr_expect_eq(sideband_gap_take(&gap), 10);
	sideband_gap_report(&gap, 40);
	cr_expect_eq(sideband_gap_take(&gap), 40);
	sideband_gap_release(&gap);
}
