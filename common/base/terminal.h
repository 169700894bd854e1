/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line on the terminal that stderr is, drawn in place again and again.
 *
 * The cursor stays at the beginning of the line, so what somebody else prints goes over it. Nothing
 * is drawn where that would disturb: by a background job, or while a program reads the terminal key
 * by key.
 *
 * Threads: no state; any thread, one at a time.
 */
#ifndef TS_COMMON_BASE_TERMINAL_H
#define TS_COMMON_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the longest line, its NUL included. */
#define TS_TERMINAL_LINE_BYTES 256

/* Is stderr, or what the descriptor leads to, a terminal that may be drawn on now? */
bool ts_terminal_may_draw(void);
bool ts_terminal_may_draw_on(int fd);
/* Of that terminal; 80 where it does not say. */
size_t ts_terminal_columns(void);
/* Puts the text in the place of the line before; it should have less characters than columns. */
void ts_terminal_draw(const char *text);
void ts_terminal_erase(void);

#endif
