// SPDX-License-Identifier: Apache-2.0
/* Draining of rings that are dumped. */
#include <criterion/criterion.h>

#include "streamer/writer/drain.h"
#include "tests/support/backward_ring.h"
#include "tests/support/drain_scene.h"

#define RING_BYTES 65536
#define WHOLE	   (RING_BYTES / 56) /* records that are left of many */

static struct backward_ring kernel;
static struct ring ring;
static struct ring *refs[] = {&ring};
static struct buffer_pool pool;
static struct drain d;

static void set_up(void)
{
	struct drain_plan plan = {.rings = refs,
				  .nr_rings = 1,
				  .pool = &pool,
				  .clock = DRAIN_NO_CLOCK,
				  .uuid = (const uint8_t *)"0123456789abcdef",
				  .align = 4096,
				  .has_cuts = true};
	struct ts_error err;

	backward_ring_open(&kernel, &ring, RING_BYTES);
	cr_assert_eq(buffer_pool_init(&pool, 4, DRAIN_SCENE_BUFFER_BYTES, NULL, &err), 0);
	cr_assert_eq(drain_init(&d, &plan, &err), 0, "%s", err.text);
}

static void tear_down(void)
{
	drain_release(&d);
	buffer_pool_release(&pool);
	ring_close(&ring);
	backward_ring_release(&kernel);
}

static void put_times(uint64_t from_ns, uint64_t to_ns)
{
	for (uint64_t time_ns = from_ns; time_ns <= to_ns; time_ns++)
		backward_ring_put_at(&kernel, time_ns);
}

static struct ts_chunk chunk(unsigned side, unsigned i)
{
	return drain_scene_chunk(&d, side, i);
}

Test(drain_dump, leaves_a_backward_ring_alone_until_it_is_dumped, .init = set_up, .fini = tear_down)
{
	put_times(1, 3000);
	drain_aim(&d, false);
	cr_assert_eq(drain_step(&d), DRAIN_NOTHING);
	drain_dump(&d, true);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	cr_assert_eq(drain_step(&d), DRAIN_NOTHING);
}

Test(drain_dump, makes_a_chunk_in_the_order_of_time, .init = set_up, .fini = tear_down)
{
	struct ts_chunk c;

	put_times(1, 3000);
	drain_dump(&d, true);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	c = chunk(0, 0);
	cr_expect_eq(c.kind, TS_RING_OVERWRITE);
	cr_expect_eq(c.flags, TS_CHUNK_BACKWARD);
	cr_expect_eq(c.nr_records, WHOLE);
	cr_expect_eq(c.time_min_ns, 3001 - WHOLE);
	cr_expect_eq(c.time_max_ns, 3000);
}

Test(drain_dump, says_when_what_was_overwritten_had_happened, .init = set_up, .fini = tear_down)
{
	put_times(1, 3000);
	drain_dump(&d, true);
	drain_step(&d);
	cr_expect_eq(chunk(0, 0).span_min_ns, 0);
	cr_expect_eq(chunk(0, 0).span_max_ns, 3001 - WHOLE);
	put_times(3001, 6000);
	drain_dump(&d, true);
	drain_step(&d);
	cr_expect_eq(chunk(0, 1).span_min_ns, 3000);
	cr_expect_eq(chunk(0, 1).span_max_ns, 6001 - WHOLE);
	cr_expect_eq(ts_counter_read(&d.rings[0].counters[0].overwritten_bytes),
		     (6000 - 2 * WHOLE) * 56);
}

Test(drain_dump, of_a_ring_that_holds_all_has_overwritten_nothing, .init = set_up,
     .fini = tear_down)
{
	put_times(1, 10);
	drain_dump(&d, true);
	drain_step(&d);
	cr_expect_eq(chunk(0, 0).nr_records, 10);
	cr_expect_eq(chunk(0, 0).span_max_ns, 0);
}

Test(drain_dump, blames_the_pause_for_what_was_lost, .init = set_up, .fini = tear_down)
{
	backward_ring_put_at(&kernel, 5);
	backward_ring_put_lost(&kernel, 7, 6);
	drain_dump(&d, true);
	drain_step(&d);
	cr_expect_eq(chunk(0, 0).lost, 7);
	cr_expect_eq(chunk(0, 0).lost_cause, TS_LOSS_PAUSED);
}

Test(drain_dump, of_a_cut_leaves_what_came_after_it, .init = set_up, .fini = tear_down)
{
	put_times(1, 30);
	drain_begin_cut(&d, 21, 1, 4096);
	drain_dump(&d, true);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	cr_assert_eq(drain_step(&d), DRAIN_NOTHING);
	cr_expect_eq(chunk(0, 0).time_max_ns, 20);
	drain_end_cut(&d);
	drain_dump(&d, false);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	cr_expect_eq(chunk(1, 0).time_min_ns, 21);
	cr_expect_eq(chunk(1, 0).nr_records, 10);
}

Test(drain_dump, waits_for_what_is_left_of_the_one_before, .init = set_up, .fini = tear_down)
{
	put_times(1, 10);
	drain_dump(&d, true);
	put_times(11, 20);
	drain_dump(&d, false);
	while (drain_step(&d) == DRAIN_TOOK)
		;
	cr_expect_eq(chunk(0, 0).time_max_ns, 10);
	cr_expect_eq(chunk(0, 1).time_min_ns, 11);
	cr_expect_eq(chunk(0, 1).time_max_ns, 20);
}
