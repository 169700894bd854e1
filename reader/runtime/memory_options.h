/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --mem-limit, the same for every command that reads a capture.
 *
 * Threads: constant.
 */
#ifndef TS_READER_RUNTIME_MEMORY_OPTIONS_H
#define TS_READER_RUNTIME_MEMORY_OPTIONS_H

#include "common/options/option.h"

/*
 * The field is a uint64_t, the limit in bytes; the command sets it to MEMORY_LIMIT_DEFAULT before.
 */
extern const struct ts_option memory_rows[];

#endif
