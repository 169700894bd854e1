/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --mem-limit, the same for every command that reads a capture.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_RUNTIME_SPILL_OPTIONS_H
#define TS_READER_RUNTIME_SPILL_OPTIONS_H

#include <argp.h>

/*
 * To stand among a command's children; its input (state->child_inputs) is a uint64_t, the limit in
 * bytes, which it sets to SPILL_LIMIT_DEFAULT first. What is wrong ends the process as any wrong
 * option does.
 */
extern const struct argp spill_argp;

#endif
