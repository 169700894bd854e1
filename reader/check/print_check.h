/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the findings of a check as text or as JSON.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_CHECK_PRINT_CHECK_H
#define TS_READER_CHECK_PRINT_CHECK_H

#include "common/base/bytes.h"
#include "reader/check/check.h"
#include "reader/check/repair.h"

/*
 * Prints one line per finding; then, unless quiet, the checked parts, the verdict, and the result
 * of the repair. repaired is NULL if nothing was repaired.
 */
void print_check(const struct check *c, const struct repair *repaired, bool is_quiet,
		 struct ts_bytes *out);
/* Prints the same as one JSON object: tstream-check(1). Returns 0 or -ENOMEM. */
int print_check_json(const struct check *c, const struct repair *repaired, struct ts_bytes *out);

#endif
