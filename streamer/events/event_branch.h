/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which branches go with a sample: the filters of -j and their bits in attr.branch_sample_type.
 *
 * Threads: pure functions.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_BRANCH_H
#define TS_STREAMER_EVENTS_EVENT_BRANCH_H

#include <stdint.h>

#include "common/base/error.h"

/*
 * Reads "any_call,u"; NULL, and privilege levels alone, are any branch. -EINVAL with all that there
 * are for a filter that is none.
 */
int event_parse_branch(const char *text, uint64_t *ret, struct ts_error *err);

#endif
