/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check found, as text or as JSON.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_CHECK_PRINT_CHECK_H
#define TS_READER_CHECK_PRINT_CHECK_H

#include "common/base/bytes.h"
#include "reader/check/check.h"
#include "reader/check/repair.h"

/*
 * One line a finding; then, unless quiet, what was checked, the verdict, and what was repaired (NULL:
 * nothing).
 */
void print_check(const struct check *c, const struct repair *repaired, bool is_quiet,
		 struct ts_bytes *out);
/* The same as one JSON object: tstream-check(1). 0 or -ENOMEM. */
int print_check_json(const struct check *c, const struct repair *repaired, struct ts_bytes *out);

#endif
