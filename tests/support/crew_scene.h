/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of a recording, without a recording: two writers, each over a fake ring of samples
 * and one of side-band, and the part that they write to, OUT in a folder of its own. Times are
 * CLOCK_MONOTONIC.
 *
 *	crew_scene_plan, (what is to be there before the writers,) crew_scene_start
 *	crew_scene_put..., crew_join()
 *	crew_scene_tear_down
 *
 * A failure ends the test program.
 *
 * Threads: one, the test; the writers run from the start to crew_join().
 */
#ifndef TS_TESTS_SUPPORT_CREW_SCENE_H
#define TS_TESTS_SUPPORT_CREW_SCENE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/plan/record_plan.h"
#include "streamer/recording/crew.h"
#include "streamer/recording/part.h"
#include "streamer/watch/cpu_absence.h"
#include "tests/support/fake_ring.h"
#include "tests/support/scratch.h"
#include "tests/support/stream_check.h"

#define CREW_SCENE_WRITERS 2
#define CREW_SCENE_RINGS   (2 * CREW_SCENE_WRITERS)

struct crew_scene {
	struct scratch scratch;
	char out[64];

	/* the plan */
	struct record_options options;
	struct record_plan plan;
	struct layout_writer layout_writers[CREW_SCENE_WRITERS];
	struct source_ring source_rings[CREW_SCENE_RINGS]; /* samples, side-band of each writer */
	struct perf_event_attr attrs[2];
	char *names[2];

	/* the objects */
	struct fake_ring fakes[CREW_SCENE_RINGS];
	uint8_t uuid[16];
	struct absences absences;
	struct ts_notes notes;
	struct crew crew;
	struct part part;
	struct ts_error err;
};

/* A plan, a crew that is open and has no writers yet, a part that has no directory yet. */
void crew_scene_plan(struct crew_scene *s);
/* Makes OUT a capture that is recorded into. */
void crew_scene_start(struct crew_scene *s);
/* Puts so many samples into the ring of a writer; they are numbered from 0 on. */
void crew_scene_put(struct crew_scene *s, size_t writer, unsigned int nr);
/* Puts a side-band record that names a task. */
void crew_scene_put_name(struct crew_scene *s, size_t writer, uint32_t tid, const char *name);
void crew_scene_tear_down(struct crew_scene *s);

/*
 * True if a writer's stream in a directory of the folder has `samples` samples, from number `first`
 * on without a gap, and is sound up to its end. Otherwise it prints the reason.
 */
bool crew_scene_has(const struct crew_scene *s, const char *directory, size_t writer,
		    uint64_t first, uint64_t samples);

#endif
