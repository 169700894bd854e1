/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The branches that are recorded with a sample: the filters of -j and their bits in
 * attr.branch_sample_type.
 *
 * Threads: pure functions.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_BRANCH_H
#define TS_STREAMER_EVENTS_EVENT_BRANCH_H

#include <stdint.h>

#include "common/base/error.h"

/*
 * Parses "any_call,u". NULL, or privilege levels alone, mean any branch. -EINVAL for an unknown
 * filter, with a list of all filters.
 */
int event_parse_branch(const char *text, uint64_t *ret, struct ts_error *err);

#endif
