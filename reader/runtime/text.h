/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for millions of lines: numbers and names appended to a byte run without printf.
 *
 * Names come from captures, which are hostile. Control characters in them become '?', because an
 * escape sequence must not reach a terminal.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_RUNTIME_TEXT_H
#define TS_READER_RUNTIME_TEXT_H

#include <stdint.h>

#include "common/base/bytes.h"

/* Appends `s` unchanged: for our own texts. */
void text_put(struct ts_bytes *out, const char *s);
void text_char(struct ts_bytes *out, char c);
/*
 * Appends a name from a capture: control characters replaced, right-aligned to `width` columns (0:
 * not padded).
 */
void text_name(struct ts_bytes *out, const char *name, unsigned int width);
/* The same for `len` bytes, without padding. */
void text_name_n(struct ts_bytes *out, const char *name, size_t len);
/* Decimal, padded on the left with `pad` to `width`. */
void text_dec(struct ts_bytes *out, uint64_t v, unsigned int width, char pad);
/* Hexadecimal without 0x, right-aligned with blanks to `width`. */
void text_hex(struct ts_bytes *out, uint64_t v, unsigned int width);

#endif
