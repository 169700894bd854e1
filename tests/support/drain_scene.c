// SPDX-License-Identifier: Apache-2.0
#include "tests/support/drain_scene.h"

#include <criterion/criterion.h>

void drain_scene_open(struct drain_scene *s, enum ts_ring_kind second, uint32_t nr_buffers,
		      struct drain_plan plan)
{
	struct ts_error err;

	for (unsigned i = 0; i < 2; i++) {
		fake_ring_init(&s->fakes[i], DRAIN_SCENE_RING_BYTES);
		fake_ring_open(&s->fakes[i], &s->rings[i], i, i ? second : TS_RING_SAMPLES);
		s->refs[i] = &s->rings[i];
	}
	plan.rings = s->refs;
	plan.nr_rings = 2;
	plan.pool = &s->pool;
	plan.uuid = (const uint8_t *)"0123456789abcdef";
	plan.align = 4096;
	cr_assert_eq(buffer_pool_init(&s->pool, nr_buffers, DRAIN_SCENE_BUFFER_BYTES, NULL, &err),
		     0);
	cr_assert_eq(drain_init(&s->drain, &plan, &err), 0, "%s", err.text);
}

void drain_scene_close(struct drain_scene *s)
{
	drain_release(&s->drain);
	drain_release(&s->drain);
	buffer_pool_release(&s->pool);
	for (unsigned i = 0; i < 2; i++) {
		ring_close(&s->rings[i]);
		fake_ring_release(&s->fakes[i]);
	}
}

struct ts_chunk drain_scene_chunk(const struct drain *d, unsigned int side, unsigned int i)
{
	const struct drain_side *s = &d->sides[side];
	size_t at = i ? s->filling->marks[i - 1].end : 0;
	struct ts_chunk c;

	cr_assert_lt(i, s->filling->nr_chunks);
	cr_assert_eq(ts_chunk_parse(s->filling->data + at, DRAIN_SCENE_BUFFER_BYTES - at,
				    s->stream.block_offset + at, &c),
		     TS_FOUND_OK);
	return c;
}
