/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map that a process with a JIT compiler leaves of its code: /tmp/perf-PID.map. PID is its own
 * number, in its own /tmp.
 *
 * untrusted_file.h has the places that are searched and the owners that are accepted.
 *
 * Threads: pure functions but for the files; each call works on its own table.
 */
#ifndef TS_READER_SYMBOLS_PERF_MAP_H
#define TS_READER_SYMBOLS_PERF_MAP_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/objects/symbol_places.h"
#include "reader/objects/untrusted_file.h"
#include "reader/symbols/symbol_table.h"
#include "reader/symbols/symbol_text.h"

/*
 * Reads the symbols of process `pid` into an empty table. search->trail gets the places that were
 * tried, and *ret the place of the map. Returns -errno if no map was found, with a sentence for the
 * last file that was tried.
 */
int perf_map_load(struct symbol_table *t, uint32_t pid, const struct symbol_search *search,
		  struct symbol_limits *limits, struct untrusted_file_place *ret,
		  struct ts_error *err);

#endif
