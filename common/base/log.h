/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to the person at the terminal: always on stderr, each one whole write, by level.
 *
 * stdout carries data only. Errors travel as `struct ts_error` up to the command, which prints them
 * here; notes and warnings say what was done differently from what was asked. The level is set once
 * by the command, before any thread starts. Colours are used only when stderr is a terminal that is
 * not dumb and NO_COLOR is not set. Control characters in what is printed become '?', so a file
 * name cannot move the cursor.
 *
 * Threads: any thread may print; ts_log_set_level() is for the command, before threads exist.
 */
#ifndef TS_COMMON_BASE_LOG_H
#define TS_COMMON_BASE_LOG_H

#include <stdbool.h>

#include "common/base/error.h"

enum ts_log_level {
	TS_LOG_QUIET = -1,  /* -q: errors and warnings */
	TS_LOG_NORMAL = 0,  /* notes, too */
	TS_LOG_VERBOSE = 1, /* -v */
	TS_LOG_DEBUG = 2,   /* -vv */
};

void ts_log_set_level(enum ts_log_level level);
bool ts_log_enabled(enum ts_log_level level);

/* "tstream: <sentence>", and the hint, where there is one, on a line of its own. */
void ts_log_error(const struct ts_error *err);

/* Something was lost or may surprise: printed at every level. */
void ts_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* What was done differently from what was asked: not with -q. */
void ts_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* One line as it is, without a prefix, at the given level or above: summaries and -v tables. */
void ts_say(enum ts_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
