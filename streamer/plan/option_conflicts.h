/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules between the options of `tstream record`: which one implies another, which exclude each
 * other, and which change nothing.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_PLAN_OPTION_CONFLICTS_H
#define TS_STREAMER_PLAN_OPTION_CONFLICTS_H

#include <stdbool.h>

#include "common/base/error.h"
#include "streamer/plan/record_options.h"

/* -EINVAL: options exclude each other; the error comes with its hint. */
int option_conflicts_settle(struct record_options *o, struct ts_error *err);

#endif
