/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of a ring as tstream.json has it.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_TIMELINE_INFO_H
#define TS_STREAMER_TIMELINE_INFO_H

#include <json-c/json.h>

#include "common/timeline.h"

/* Adds the member "times" to a ring's object; nothing for an empty timeline. */
void timeline_info_put(struct json_object *ring, const struct ts_timeline *t);

#endif
