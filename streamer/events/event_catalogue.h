/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All the events that this machine offers, by kind: what the kernel opens when asked, what PMUs
 * name, what tracefs lists.
 *
 * Threads: one owner; collecting opens (and closes at once) one event of each generic name.
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
	CATALOGUE_RAW, /* forms, not names: rNNN, mem:ADDR */
	CATALOGUE_TRACEPOINT,
};

struct catalogue_entry {
	enum catalogue_kind kind;
	char *name;  /* owned; as -e takes it */
	char *alias; /* owned; another name of it; NULL: none */
};

struct catalogue {
	struct catalogue_entry *entries; /* owned; by kind, then by name where there is no order */
	size_t nr;
};

/*
 * Collects everything. What could not be read (tracepoints of an ordinary user) is a note.
 * -ENOMEM. `roots` may be NULL.
 */
int catalogue_collect(struct catalogue *catalogue, const struct event_roots *roots,
		      struct ts_notes *notes, struct ts_error *err);

/*
 * True if the entry is asked for: the word is a kind (hw, sw, cache, pmu, raw, tracepoint and their
 * long forms), a pattern (* ? [...]) that name or alias fits, or a part of either.
 */
bool catalogue_matches(const struct catalogue_entry *entry, const char *word);

/* "hardware", "software", ... */
const char *catalogue_kind_name(enum catalogue_kind kind);

void catalogue_release(struct catalogue *catalogue); /* accepts a zeroed one; idempotent */

#endif
