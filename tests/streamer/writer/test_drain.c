// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/drain.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "tests/support/drain_scene.h"

static struct drain_scene scene;

static void set_up_cuts(int level, bool has_cuts)
{
	drain_scene_open(&scene, TS_RING_SAMPLES, 2,
			 (struct drain_plan){.compression_level = level, .has_cuts = has_cuts});
}

static void set_up(int level)
{
	set_up_cuts(level, false);
}

static void tear_down(void)
{
	drain_scene_close(&scene);
}

static void put(unsigned ring, unsigned nr, size_t bytes)
{
	while (nr--)
		fake_ring_put_sample(&scene.fakes[ring], bytes);
}

static struct ts_chunk chunk(unsigned i)
{
	return drain_scene_chunk(&scene.drain, 0, i);
}

Test(drain, leaves_a_ring_alone_that_holds_little)
{
	set_up(0);
	put(0, 10, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_NOTHING);
	put(0, DRAIN_SCENE_RING_BYTES / 16 / 64, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(ring_pending(&scene.rings[0]), 0);
	tear_down();
}

/* The ring of a CPU that is offline has no mapping yet. */
Test(drain, has_a_kind_for_a_ring_that_is_not_there)
{
	struct ring absent = {0}, *only[] = {&absent};
	const struct drain_plan plan = {.rings = only,
					.nr_rings = 1,
					.pool = &scene.pool,
					.uuid = (const uint8_t *)"0123456789abcdef",
					.align = 4096};
	struct ts_error err;

	cr_assert_eq(drain_init(&scene.drain, &plan, &err), 0, "%s", err.text);
	cr_expect_not(scene.drain.rings[0].is_there);
	cr_expect_not_null(scene.drain.rings[0].kind);
	drain_aim(&scene.drain, true);
	cr_expect_eq(drain_step(&scene.drain), DRAIN_NOTHING);
	drain_release(&scene.drain);
}

Test(drain, takes_the_fullest_ring_first)
{
	set_up(0);
	put(0, 200, 64);
	put(1, 600, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_NOTHING);
	cr_assert_eq(chunk(0).ring, 1);
	cr_assert_eq(chunk(0).nr_records, 600);
	cr_assert_eq(chunk(1).ring, 0);
	tear_down();
}

Test(drain, takes_what_was_aimed_at_before_a_ring_that_is_not_half_full)
{
	set_up(0);
	put(0, 1, 64);
	drain_aim(&scene.drain, false);
	put(1, 400, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(chunk(0).ring, 0);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(chunk(1).ring, 1);
	tear_down();
}

Test(drain, ends_when_it_has_what_the_last_aim_saw)
{
	set_up(0);
	put(0, 5, 64);
	drain_aim(&scene.drain, true);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	put(0, 900, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_NOTHING);
	tear_down();
}

Test(drain, writes_into_the_header_what_the_records_say)
{
	struct ts_chunk c;

	set_up(0);
	scene.rings[0].id.cpu = 77;
	put(0, 300, 64);
	drain_step(&scene.drain);
	c = chunk(0);
	cr_assert_eq(c.cpu, 77);
	cr_assert_eq(c.kind, TS_RING_SAMPLES);
	cr_assert_eq(c.flags, 0);
	cr_assert_eq(c.raw_bytes, 300 * 64);
	cr_assert_eq(c.payload_bytes, 300 * 64);
	cr_assert_gt(c.time_min_ns, 0);
	cr_assert_geq(c.time_max_ns, c.time_min_ns);
	cr_assert_eq(memcmp(c.uuid, "0123456789abcdef", 16), 0);
	tear_down();
}

static uint64_t lags(void)
{
	struct histogram_counts lag;

	histogram_read(&scene.drain.lag, &lag);
	return lag.nr;
}

Test(drain, measures_how_long_records_have_waited_where_it_knows_their_clock)
{
	set_up(0);
	scene.drain.clock = DRAIN_NO_CLOCK;
	put(0, 300, 64);
	drain_step(&scene.drain);
	cr_assert_eq(lags(), 0);
	scene.drain.clock = CLOCK_MONOTONIC;
	put(0, 300, 64);
	drain_step(&scene.drain);
	put(1, 300, 64);
	drain_step(&scene.drain);
	cr_assert_eq(lags(), 2);
	tear_down();
}

Test(drain, writes_plain_what_fills_more_than_half_of_a_ring)
{
	struct ts_chunk c;

	set_up(1);
	put(0, DRAIN_SCENE_RING_BYTES / 64 / 2 + 1, 64);
	drain_step(&scene.drain);
	c = chunk(0);
	cr_assert_eq(c.flags, 0);
	cr_assert_eq(c.payload_bytes, c.raw_bytes);
	cr_assert_eq(ts_counter_read(&scene.drain.sides[0].plain_bytes), c.raw_bytes);
	tear_down();
}

Test(drain, compresses_from_a_buffer_of_its_own)
{
	struct ts_decompressor dec;
	static uint8_t raw[DRAIN_SCENE_RING_BYTES];
	struct ts_error err;
	struct ts_chunk c;

	set_up(1);
	put(0, 300, 64);
	drain_step(&scene.drain);
	c = chunk(0);
	cr_assert_eq(c.flags, TS_CHUNK_COMPRESSED);
	cr_assert_lt(c.payload_bytes, c.raw_bytes);
	cr_assert_eq(ts_decompressor_init(&dec, &err), 0);
	cr_assert_eq(ts_decompressor_expand(&dec,
					    scene.drain.sides[0].filling->data + c.header_bytes,
					    c.payload_bytes, raw, c.raw_bytes, &err),
		     0, "%s", err.text);
	cr_assert_eq(memcmp(raw, scene.rings[0].data, c.raw_bytes), 0);
	ts_decompressor_release(&dec);
	tear_down();
}

static void free_queue(void)
{
	while (scene.pool.first)
		buffer_free(&scene.pool, buffer_next(&scene.pool));
}

/* Loses records of ring 0 and makes the LOST record come out; returns the chunk that has it. */
static struct ts_chunk lose_and_drain(void)
{
	put(0, DRAIN_SCENE_RING_BYTES / 64 + 7, 64);
	if (drain_step(&scene.drain) == DRAIN_NO_BUFFER)
		free_queue();
	while (ring_pending(&scene.rings[0]))
		cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	put(0, 300, 64);
	while (ring_pending(&scene.rings[0]))
		cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	return chunk(scene.drain.sides[0].filling->nr_chunks - 1);
}

Test(drain, blames_the_ring_for_a_loss)
{
	struct ts_chunk c;

	set_up(0);
	c = lose_and_drain();
	cr_assert_eq(c.lost, 7);
	cr_assert_eq(c.lost_cause, TS_LOSS_RING_FULL);
	cr_assert_eq(c.flags, TS_CHUNK_AFTER_LOSS);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost), 7);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost_disk), 0);
	tear_down();
}

/* Samples that the hardware dropped are told by a record of its own, which readers count. */
Test(drain, blames_nobody_for_what_the_hardware_lost)
{
	const uint64_t record[] = {PERF_RECORD_LOST_SAMPLES | 48ull << 48, 12, 0, 0, 0, 0};

	set_up(0);
	cr_assert(fake_ring_put(&scene.fakes[0], record));
	put(0, DRAIN_SCENE_RING_BYTES / 2 / 64, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(chunk(0).lost, 0);
	cr_assert_eq(chunk(0).lost_cause, TS_LOSS_NONE);
	cr_assert_eq(ts_timeline_sum(scene.drain.rings[0].timelines[0], TS_LOSS_RING_FULL), 0);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost), 0);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost_samples), 12);
	tear_down();
}

Test(drain, blames_the_disk_when_no_buffer_was_free)
{
	struct ts_chunk c;

	set_up(0);
	do
		put(1, 500, 128);
	while (drain_step(&scene.drain) != DRAIN_NO_BUFFER);
	c = lose_and_drain();
	cr_assert_eq(c.lost, 7);
	cr_assert_eq(c.lost_cause, TS_LOSS_DISK);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost_disk), 7);
	/* and the one after that is the ring's again */
	while (drain_step(&scene.drain) == DRAIN_TOOK)
		;
	free_queue();
	c = lose_and_drain();
	cr_assert_eq(c.lost_cause, TS_LOSS_RING_FULL);
	tear_down();
}

Test(drain, blames_compression_when_a_ring_filled_up_meanwhile)
{
	struct ts_chunk c;

	set_up(1);
	put(1, 300, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(chunk(0).flags, TS_CHUNK_COMPRESSED);
	c = lose_and_drain(); /* what is put now came while that was compressed */
	cr_assert_eq(c.lost, 7);
	cr_assert_eq(c.lost_cause, TS_LOSS_COMPRESSION);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost_compression), 7);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost_disk), 0);
	cr_assert_gt(ts_timeline_sum(scene.drain.rings[0].timelines[0], TS_LOSS_COMPRESSION) +
			     scene.drain.rings[0].timelines[0]->untimed.nr[TS_LOSS_COMPRESSION],
		     0);
	tear_down();
}

Test(drain, blames_the_ring_when_it_filled_up_after_a_look_behind_compression)
{
	struct ts_chunk c;

	set_up(1);
	put(1, 300, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_NOTHING);
	c = lose_and_drain();
	cr_assert_eq(c.lost, 7);
	cr_assert_eq(c.lost_cause, TS_LOSS_RING_FULL);
	cr_assert_eq(ts_counter_read(&scene.drain.rings[0].counters[0].lost_compression), 0);
	tear_down();
}

Test(drain, blames_the_ring_when_it_was_nearly_full_before_compression)
{
	struct ts_chunk c;

	set_up(1);
	put(1, 300, 64);
	drain_aim(&scene.drain, false); /* so ring 1 comes first */
	put(0, DRAIN_SCENE_RING_BYTES / 64 / 4 * 3 + 10, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(chunk(0).flags, TS_CHUNK_COMPRESSED);
	c = lose_and_drain();
	cr_assert_gt(c.lost, 0);
	cr_assert_eq(c.lost_cause, TS_LOSS_RING_FULL);
	tear_down();
}

Test(drain, measures_what_compressing_takes)
{
	set_up(1);
	put(0, 300, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_gt(ts_counter_read(&scene.drain.sides[0].compress_ns), 0);
	tear_down();
	set_up(0);
	put(0, 300, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(ts_counter_read(&scene.drain.sides[0].compress_ns), 0);
	tear_down();
}

Test(drain, measures_compressing_of_each_side_of_a_cut)
{
	set_up_cuts(1, true);
	put(0, DRAIN_SCENE_RING_BYTES / 64 / 2 + 1, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_gt(ts_counter_read(&scene.drain.sides[0].plain_bytes), 0);
	drain_begin_cut(&scene.drain, UINT64_MAX, 1, 4096);
	drain_end_cut(&scene.drain);
	buffer_free(&scene.pool, buffer_next(&scene.pool));
	buffer_free(&scene.pool, buffer_next(&scene.pool));
	put(0, 300, 64);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(ts_counter_read(&scene.drain.sides[1].plain_bytes), 0);
	cr_assert_gt(ts_counter_read(&scene.drain.sides[1].compress_ns), 0);
	drain_begin_cut(&scene.drain, UINT64_MAX, 2, 4096);
	cr_assert_eq(ts_counter_read(&scene.drain.sides[0].plain_bytes), 0);
	cr_assert_eq(ts_counter_read(&scene.drain.sides[0].compress_ns), 0);
	tear_down();
}

Test(drain, ends_a_block_of_many_small_chunks)
{
	struct buffer *b;

	set_up(0);
	for (unsigned i = 0; i < BUFFER_CHUNKS_MAX + 44; i++) {
		put(0, 1, 64);
		drain_aim(&scene.drain, false);
		cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	}
	b = buffer_next(&scene.pool);
	cr_assert_not_null(b);
	cr_assert_eq(b->nr_chunks, BUFFER_CHUNKS_MAX);
	cr_assert_eq(b->nr_records, BUFFER_CHUNKS_MAX);
	cr_assert_eq(b->len % 4096, 0);
	cr_assert_eq(scene.drain.sides[0].filling->nr_chunks, 44);
	tear_down();
}

Test(drain, has_room_for_the_largest_record_in_every_block)
{
	unsigned nr = 0;

	set_up(0);
	for (unsigned i = 0; i < 20; i++) {
		put(0, 1, 65528);
		put(1, 1, 65528);
		while (drain_step(&scene.drain) == DRAIN_TOOK)
			nr++;
		free_queue();
	}
	cr_assert_eq(nr, 40);
	tear_down();
}

Test(drain, sets_a_broken_ring_aside_and_goes_on_with_the_others)
{
	set_up(0);
	put(0, 300, 64);
	put(1, 300, 64);
	scene.rings[0].page->data_head += DRAIN_SCENE_RING_BYTES;
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(chunk(0).ring, 1);
	cr_assert_eq(drain_step(&scene.drain), DRAIN_NOTHING);
	cr_assert_eq(scene.drain.error.code, EBADMSG);
	cr_assert(strstr(scene.drain.error.text, "cannot read the ring of CPU 0"));
	tear_down();
}

Test(drain, keeps_what_came_before_an_impossible_record)
{
	struct perf_event_header zero = {.type = 9};

	set_up(0);
	put(0, 300, 64);
	memcpy(scene.rings[0].data + 200 * 64, &zero, sizeof(zero));
	cr_assert_eq(drain_step(&scene.drain), DRAIN_TOOK);
	cr_assert_eq(chunk(0).nr_records, 200);
	cr_assert_eq(chunk(0).raw_bytes, 200 * 64);
	cr_assert_eq(scene.drain.error.code, EBADMSG);
	tear_down();
}

Test(drain, closes_the_stream_in_a_block_of_its_own)
{
	struct buffer *b;

	set_up(0);
	put(0, 300, 64);
	drain_step(&scene.drain);
	drain_end_block(&scene.drain);
	drain_end_block(&scene.drain);
	drain_finish(&scene.drain);
	b = buffer_next(&scene.pool);
	cr_assert_eq(b->offset, 0);
	cr_assert_eq(buffer_next(&scene.pool)->offset, b->len);
	tear_down();
}
