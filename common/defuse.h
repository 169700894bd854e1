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
#ifndef TS_COMMON_DEFUSE_H
#define TS_COMMON_DEFUSE_H

#include <stddef.h>

/* Changes text in place. `but` names control characters that stay ("\n\t"), "" for none. */
void ts_defuse(char *text, size_t len, const char *but);

#endif
