/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line on the terminal of stderr, drawn in place again and again.
 *
 * The cursor stays at the beginning of the line, so output of other programs overwrites it. Nothing
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

/* Is stderr, or this descriptor, a terminal on which the program may draw now? */
bool ts_terminal_may_draw(void);
bool ts_terminal_may_draw_on(int fd);
/* The columns of that terminal; 80 if the terminal reports none. */
size_t ts_terminal_columns(void);
/*
 * Replaces the line by this text, which should have fewer characters than the terminal has columns.
 */
void ts_terminal_draw(const char *text);
void ts_terminal_erase(void);

#endif
