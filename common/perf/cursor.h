/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cursor over a payload of a header or a record, of which nothing is trusted: each getter returns
 * false once it would read beyond the end, and the cursor stays where it was.
 *
 * Threads: one owner at a time.
 */
#ifndef TS_COMMON_PERF_CURSOR_H
#define TS_COMMON_PERF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_cursor {
	const uint8_t *at; /* not aligned */
	size_t left;
};

bool ts_cursor_u32(struct ts_cursor *c, uint32_t *ret);
bool ts_cursor_u64(struct ts_cursor *c, uint64_t *ret);
/* A string with its length before it, NUL-terminated inside the payload (refused otherwise). */
bool ts_cursor_string(struct ts_cursor *c, const char **ret);
bool ts_cursor_bytes(struct ts_cursor *c, size_t len, const uint8_t **ret);

#endif
