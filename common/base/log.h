/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to the person at the terminal: always on stderr, each in one write, by level.
 *
 * stdout carries data only. Errors travel as `struct ts_error` up to the command, which prints them
 * here. Notes and warnings report where the program did something else than the user asked. The
 * command sets the level once, before any thread starts. Colours are used only if stderr is a
 * terminal that is not dumb and NO_COLOR is not set. Control characters in a message become '?', so
 * a file name cannot move the cursor.
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

/* Prints "tstream: <sentence>". A hint follows on a line of its own. */
void ts_log_error(const struct ts_error *err);

/* For a loss, or a result that may surprise: printed at every level. */
void ts_log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* For something done differently from what was asked: not printed with -q. */
void ts_log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Prints one line as it is, without a prefix, at this level or above: summaries and the tables of
 * -v.
 */
void ts_log_say(enum ts_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
