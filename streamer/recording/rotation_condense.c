// SPDX-License-Identifier: Apache-2.0
/*
 * The side-band that samples in backward rings may refer to: all side-band of their processes, from
 * before the oldest sample to the newest. Of other processes, later samples need only the state of
 * now.
 */
#include "streamer/recording/rotation_condense.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "common/perf/record.h"
#include "streamer/recording/rotation_log.h"
#include "streamer/rings/record_walk.h"
#include "streamer/rings/ring_backward.h"

bool rotation_can_condense(const struct record_plan *plan)
{
	const struct record_options *o = plan->options;

	for (size_t i = 0; i < plan->source.nr_rings; i++)
		if (plan->source.rings[i].kind == TS_RING_SAMPLES)
			return false;
	return !o->switch_output.bytes && !o->event.switch_events;
}

static void add_processes(struct needed_tasks *needed, const uint8_t *run, size_t len)
{
	for (size_t at = 0; at < len; at += ts_record_load_header(run + at).size)
		needed_tasks_add(needed, record_walk_pid(run + at), record_walk_time(run + at));
}

/* After crew_wait_for_cpus(): no record from before the cut is under way. */
static int find_needed(const struct crew *c, struct needed_tasks *needed)
{
	uint8_t *copy = NULL;
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->plan->source.nr_rings; i++)
		if (c->rings[i].map_bytes && ring_is_backward(&c->rings[i]))
			bytes = ts_max(bytes, c->rings[i].size_bytes);
	copy = malloc(bytes);
	if (!copy || needed_tasks_init(needed) < 0) {
		free(copy);
		return -ENOMEM;
	}
	for (size_t i = 0; i < c->plan->source.nr_rings; i++) {
		const struct ring *ring = &c->rings[i];
		size_t off;

		if (!ring->map_bytes || !ring_is_backward(ring))
			continue;
		off = ring_peek(ring, copy);
		add_processes(needed, copy + off, ring->size_bytes - off);
	}
	free(copy);
	return 0;
}

int rotation_condense_old(struct rotation *t, bool is_over, struct ts_error *err)
{
	struct data_file *d = &t->given.part->data;
	struct sideband_log log = {0};
	struct needed_tasks needed = {0}; /* all are needed */
	int code = is_over ? 0 : find_needed(t->given.crew, &needed);

	if (code < 0)
		return ts_error_sys(err, -code,
				    "cannot find the tasks of the samples in the rings");
	sideband_log_know(&log, d->tasks.data, d->tasks.len);
	code = rotation_log_read(t, &log, err);
	if (!code) {
		sideband_log_add_parents(&log, &needed);
		code = data_file_condense(d, t->table, &log, &needed, err);
	}
	sideband_log_release(&log);
	needed_tasks_release(&needed);
	return code;
}
