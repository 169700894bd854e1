/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf's names for the kernel's generic events.
 *
 * Threads: constant tables and pure functions.
 *
 * Source: tools/perf/util/parse-events.l of the kernel tree.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_NAMES_H
#define TS_STREAMER_EVENTS_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct event_symbol {
	const char *name;
	const char *alias; /* NULL: none */
	uint32_t type;	   /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
};

extern const struct event_symbol event_symbols[]; /* ends with a NULL name */

/* Returns the symbol with this name or alias, or NULL. Case matters, as with perf. */
const struct event_symbol *event_symbol_find(const char *name);

/*
 * True if `meant` may be a misspelling of `name`. The two may differ in case, have '_' for '-', or
 * lack up to two letters at the end.
 */
bool event_name_resembles(const char *meant, const char *name);

/*
 * Parses a cache event, "L1-dcache-load-misses" and its other spellings, into the config of
 * PERF_TYPE_HW_CACHE.
 */
bool event_cache_find(const char *name, uint64_t *ret_config);
#endif
