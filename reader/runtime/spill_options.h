/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --mem-limit, the same for every command that reads a capture.
 *
 * Threads: constant.
 */
#ifndef TS_READER_RUNTIME_SPILL_OPTIONS_H
#define TS_READER_RUNTIME_SPILL_OPTIONS_H

#include "common/options/option.h"

/* For a uint64_t, the limit in bytes, which the command has set to SPILL_LIMIT_DEFAULT. */
extern const struct ts_option spill_rows[];

#endif
