/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure that is kept for long: a struct ts_error in as many bytes as its sentences have. A
 * capture may name very many files that cannot be read.
 *
 * Threads: an error belongs to one thread at a time.
 */
#ifndef TS_READER_SYMBOLS_KEPT_ERROR_H
#define TS_READER_SYMBOLS_KEPT_ERROR_H

#include "common/base/error.h"

struct kept_error {
	int code;   /* as in struct ts_error; 0: nothing failed */
	char *text; /* its sentence, a NUL, and its hint; NULL: no memory for them */
};

/* Keeps a copy in place of what it had. Without memory the copy says ENOMEM. */
void kept_error_set(struct kept_error *kept, const struct ts_error *err);
/* Fills *ret. Returns -kept->code. */
int kept_error_get(const struct kept_error *kept, struct ts_error *ret);
void kept_error_release(struct kept_error *kept); /* accepts a zeroed one; idempotent */

#endif
