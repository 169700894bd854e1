/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of a capture, made harmless for a terminal.
 *
 * A process chooses its own name and the paths it maps, so they may hold what drives a terminal:
 * control characters, also those that UTF-8 can spell (U+0080 .. U+009F), and bytes that are no
 * UTF-8, which a terminal of 8 bits may take for such. Each of these bytes becomes a '?'; the
 * length stays.
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
/* Does this character of Unicode drive a terminal? */
bool ts_is_control(uint32_t code);
/* Bytes of the UTF-8 character at `text`, of which there are `len`, at least 1, and which one it is;
 * 0: it is none. */
size_t ts_utf8_bytes(const char *text, size_t len, uint32_t *ret_code);

#endif
