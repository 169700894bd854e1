/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cursor over the payload of a header or a record that nobody trusts. Each getter returns false
 * instead of reading beyond the end; the cursor then stays in its place.
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
/*
 * A string with its length before it. Its NUL must lie inside the payload; otherwise it is refused.
 */
bool ts_cursor_string(struct ts_cursor *c, const char **ret);
bool ts_cursor_bytes(struct ts_cursor *c, size_t len, const uint8_t **ret);

#endif
