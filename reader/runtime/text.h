/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for millions of lines: numbers and names appended to a byte run without printf.
 *
 * Names come from captures, which are hostile: control characters in them become '?', so that no
 * escape sequence reaches a terminal.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_RUNTIME_TEXT_H
#define TS_READER_RUNTIME_TEXT_H

#include <stdint.h>

#include "common/base/bytes.h"

/* `s` as it is: for texts of ours. */
void text_put(struct ts_bytes *out, const char *s);
void text_char(struct ts_bytes *out, char c);
/* Names from a capture: control characters replaced, right-aligned to `width` columns (0: as long
 * as it is). */
void text_name(struct ts_bytes *out, const char *name, unsigned int width);
/* The same for `len` bytes. */
void text_name_n(struct ts_bytes *out, const char *name, size_t len);
/* Decimal, padded on the left with `pad` to `width`. */
void text_dec(struct ts_bytes *out, uint64_t v, unsigned int width, char pad);
/* Hexadecimal without 0x, right-aligned with blanks to `width`. */
void text_hex(struct ts_bytes *out, uint64_t v, unsigned int width);

#endif
