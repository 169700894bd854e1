/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes and times as people write them: 512K, 4M, 1G; 100ms, 1.5s, 2m.
 *
 * Parsing takes the whole text or refuses it. Numbers are decimal, without sign or blanks; a number
 * that does not fit in 64 bits is refused. The caller words the sentence, because only the caller
 * knows the option.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_BASE_UNITS_H
#define TS_COMMON_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_UNITS_TEXT 32 /* bytes that any ts_format_*() needs, its NUL included */

/* A whole number. Returns 0, -EINVAL (no number) or -ERANGE (does not fit). */
int ts_units_parse_u64(const char *text, uint64_t *ret);

/*
 * A number of bytes: a number followed by nothing or B, K, M, G, T (powers of 1024, either case).
 */
int ts_units_parse_size(const char *text, uint64_t *ret_bytes);

/*
 * The value of perf's -m: a plain number counts pages, a number with a unit counts bytes. The
 * result is rounded up to a power of two of pages, at least one; *ret_rounded reports whether
 * rounding changed it.
 */
int ts_units_parse_pages(const char *text, size_t page_bytes, uint64_t *ret_pages,
			 bool *ret_rounded);

/*
 * A time: a number, perhaps with decimals, followed by ns, us, ms, s, m, h or d. `plain_ns` is the
 * unit of a bare number in nanoseconds (1000000000 for seconds); 0 refuses a bare number. Parts of
 * a nanosecond are dropped.
 */
int ts_units_parse_time(const char *text, uint64_t plain_ns, uint64_t *ret_ns);

/* "512K", "1.5M", "100": the largest unit with at most one decimal. Returns buf. */
const char *ts_units_format_size(char buf[TS_UNITS_TEXT], uint64_t bytes);

#endif
