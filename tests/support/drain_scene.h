/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A drain over two fake rings, without a disk: a test takes the buffers out of the pool itself.
 *
 * Threads: one, the test.
 */
#ifndef TS_TESTS_SUPPORT_DRAIN_SCENE_H
#define TS_TESTS_SUPPORT_DRAIN_SCENE_H

#include "streamer/writer/drain.h"
#include "tests/support/fake_ring.h"

#define DRAIN_SCENE_RING_BYTES	 65536
#define DRAIN_SCENE_BUFFER_BYTES (256u * 1024)

struct drain_scene {
	struct fake_ring fakes[2];
	struct ring rings[2], *refs[2];
	struct buffer_pool pool;
	struct drain drain;
};

/*
 * The first ring is one of samples. Of the plan, rings, pool, uuid and align are the scene's. A failure
 * fails the test.
 */
void drain_scene_open(struct drain_scene *s, enum ts_ring_kind second, uint32_t nr_buffers,
		      struct drain_plan plan);
void drain_scene_close(struct drain_scene *s);
/* The header of chunk i of the block that the side is filling, of any drain with such buffers. */
struct ts_chunk drain_scene_chunk(const struct drain *d, unsigned int side, unsigned int i);

#endif
