/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All events that this machine offers, by kind: generic events that the kernel opens, named events
 * of PMUs, and tracepoints that tracefs lists.
 *
 * Threads: one owner. Collecting opens one event of each generic name and closes it at once.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_CATALOGUE_H
#define TS_STREAMER_EVENTS_EVENT_CATALOGUE_H

#include <stddef.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/events/event.h"

enum catalogue_kind {
	CATALOGUE_HARDWARE,
	CATALOGUE_SOFTWARE,
	CATALOGUE_CACHE,
	CATALOGUE_PMU,
	CATALOGUE_RAW, /* patterns, not names: rNNN, mem:ADDR */
	CATALOGUE_TRACEPOINT,
};

struct catalogue_entry {
	enum catalogue_kind kind;
	char *name;  /* owned; as -e takes it */
	char *alias; /* owned; another name of the event; NULL: none */
};

struct catalogue {
	/* owned; by kind, then by name if the kind has no order of its own */
	struct catalogue_entry *entries;
	size_t nr;
};

/*
 * Collects all events. A note names kinds that could not be read (tracepoints, for an ordinary
 * user). -ENOMEM. `roots` may be NULL.
 */
int catalogue_collect(struct catalogue *catalogue, const struct event_roots *roots,
		      struct ts_notes *notes, struct ts_error *err);

/*
 * True if the word selects the entry. A word is a kind (hw, sw, cache, pmu, raw, tracepoint and
 * their long forms), a pattern (* ? [...]) that name or alias fits, or a part of either.
 */
bool catalogue_matches(const struct catalogue_entry *entry, const char *word);

/* "hardware", "software", ... */
const char *catalogue_kind_name(enum catalogue_kind kind);

void catalogue_release(struct catalogue *catalogue); /* accepts a zeroed one; idempotent */

#endif
