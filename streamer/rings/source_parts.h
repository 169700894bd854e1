/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the files source*.c alone.
 *
 * Threads: the same as in source.h.
 */
#ifndef TS_STREAMER_RINGS_SOURCE_PARTS_H
#define TS_STREAMER_RINGS_SOURCE_PARTS_H

#include "streamer/rings/source.h"

/* True if that index into source.attrs is the side-band dummy's. */
static inline bool source_is_sideband(const struct source *source, size_t event)
{
	return event == source->events->nr;
}

/*
 * True if the event with that index is opened for the ring. A sample event goes to sample rings of
 * its direction, on the CPUs of its PMU.
 */
bool source_has_event(const struct source *source, size_t event, const struct source_ring *ring);

/* "cannot open events: out of memory"; -ENOMEM. */
int source_no_memory(struct ts_error *err);

/* Closes sample events and side-band dummies. The owners stay open. */
void source_close_events(struct source *source);

#endif
