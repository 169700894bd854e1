/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the names in a capture harmless for a terminal.
 *
 * A process chooses its own name and the paths that it maps, so these may hold bytes that control a
 * terminal. Such bytes are control characters, also in the form that UTF-8 has for U+0080 to
 * U+009F. Bytes that are not UTF-8 are replaced, too, because an 8-bit terminal may take them for
 * control characters. Each of these bytes becomes a '?'; the length stays the same.
 *
 * Threads: pure.
 */
#ifndef TS_COMMON_BASE_ESCAPE_TEXT_H
#define TS_COMMON_BASE_ESCAPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes text in place. `but` names control characters that stay ("\n\t"), "" for none. */
void ts_escape_text(char *text, size_t len, const char *but);
/* Does this Unicode character control a terminal? */
bool ts_escape_is_control(uint32_t code);
/*
 * The number of bytes of the UTF-8 character at `text`, which has `len` bytes, at least 1;
 * *ret_code is the character. 0: no character begins there.
 */
size_t ts_escape_utf8_bytes(const char *text, size_t len, uint32_t *ret_code);

#endif
