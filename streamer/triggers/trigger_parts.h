/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files trigger*.c; of no use to others.
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
 * Empties the rings. Returns the event that fired first, and its time on the clock of the records;
 * NULL: none. Events that end the recording go before the others.
 */
const struct event *trigger_events_take(struct triggers *t, uint64_t *ret_time_ns);
void trigger_events_close(struct triggers *t);

#endif
