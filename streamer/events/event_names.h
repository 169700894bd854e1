/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that perf has for the kernel's generic events.
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

/* The symbol that has this name or alias; NULL if none. Case counts, as with perf. */
const struct event_symbol *event_symbol_find(const char *name);

/*
 * True if one may have been meant by the other: they are the same but for case, '_' for '-', or up
 * to two letters that are missing at the end.
 */
bool event_name_resembles(const char *meant, const char *name);

/* Reads a cache event, "L1-dcache-load-misses" and its other spellings: PERF_TYPE_HW_CACHE's
 * config. */
bool event_cache_find(const char *name, uint64_t *ret_config);
#endif
