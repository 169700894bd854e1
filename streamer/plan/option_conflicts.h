/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from all options of `tstream record` together: what one implies for another, which do not
 * go together, and which change nothing.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_PLAN_OPTION_CONFLICTS_H
#define TS_STREAMER_PLAN_OPTION_CONFLICTS_H

#include <stdbool.h>

#include "common/base/error.h"
#include "streamer/plan/record_options.h"

/* -EINVAL: options that do not go together, with what to do. */
int record_options_settle(struct record_options *o, struct ts_error *err);

#endif
