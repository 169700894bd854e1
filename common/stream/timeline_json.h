/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as a JSON object, in tstream.json and in the output of `report --loss --json`:
 * "start_s", "step_s" and for each cause an array with one number for each slot (docs/format.md).
 *
 * Threads: none of its own.
 */
#ifndef TS_COMMON_STREAM_TIMELINE_JSON_H
#define TS_COMMON_STREAM_TIMELINE_JSON_H

#include "common/json/json.h"
#include "common/stream/timeline.h"

/* Adds the member "times" to an object; nothing for an empty timeline. */
void ts_timeline_to_json(struct ts_json *ring, const struct ts_timeline *t);
/*
 * Reads the member "times" of an untrusted object. An impossible one is left out; *ret is then
 * empty.
 */
void ts_timeline_from_json(const struct ts_json *ring, struct ts_timeline *ret);

#endif
