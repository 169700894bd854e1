/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer over fake rings, with a producer thread a ring: a scene is played, then looked at.
 *
 * Threads: one, the test; the producers live while a scene is played.
 */
#ifndef TS_TESTS_SUPPORT_WRITER_SCENE_H
#define TS_TESTS_SUPPORT_WRITER_SCENE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/thread.h"
#include "streamer/writer/writer.h"
#include "tests/support/fake_ring.h"
#include "tests/support/stream_check.h"

#define SCENE_RINGS	 3
#define SCENE_RING_BYTES (256u * 1024)

struct scene {
	const char *name;
	enum sink_kind sink;
	bool direct;
	int compression_level;
	uint32_t nr_buffers;
	uint64_t nr_samples; /* of each ring */
	size_t size_max;
	uint64_t burst, pause_us;
	bool loses;	  /* producers do not wait for room */
	bool is_supplied; /* with further buffers, by a thread that plays the main one */
	uint64_t sync_ns;
	struct sink_faults faults;
};

struct scene_rig {
	const struct scene *scene;
	struct fake_ring fakes[SCENE_RINGS];
	struct ring rings[SCENE_RINGS];
	struct ring *refs[SCENE_RINGS];
	struct fake_producer producers[SCENE_RINGS];
	struct ts_stop stop;
	struct buffer_supply supply;
	struct ts_thread supplier;
	struct writer *writer;
	struct writer_stats stats;
	struct stream_check got;
	char path[64];
	int fd;
	int join_rc;
	struct ts_error error; /* the writer's */
	atomic_bool has_ended; /* the supplier is to end */
	bool failed;
};

/* Notes and prints what is wrong where it is not ok. */
void scene_check(struct scene_rig *r, bool ok, const char *what);
/* Plays a scene; false: io_uring is refused here. The rig is to be torn down then, too. */
bool scene_play(struct scene_rig *r, const struct scene *scene);
/* Every sample is in the stream, or lost by the ring and told so, or counted as unwritten. */
void scene_check_account(struct scene_rig *r);
void scene_tear_down(struct scene_rig *r);
/* Prints how it went; false: something was wrong. */
bool scene_tell(const struct scene_rig *r);

#endif
