/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files trigger*.c share; of no use to others.
 *
 * Threads: as trigger.h.
 */
#ifndef TS_STREAMER_TRIGGERS_TRIGGER_PARTS_H
#define TS_STREAMER_TRIGGERS_TRIGGER_PARTS_H

#include "streamer/triggers/trigger.h"

/* A descriptor that polls as POLLPRI at that pressure; -errno. */
int trigger_psi_open(const struct trigger_psi *psi, struct ts_error *err);

int trigger_events_open(struct triggers *t, const struct source *source, struct ts_error *err);
/*
 * Empties the rings. The event that fired first, of those that end the recording if there is one, and its
 * time on the clock of the records; NULL: none.
 */
const struct event *trigger_events_take(struct triggers *t, uint64_t *ret_time_ns);
void trigger_events_close(struct triggers *t);

#endif
