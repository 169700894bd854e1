/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One failure, worded for a person: an errno-style code, one sentence, and a remedy.
 *
 * Functions that can fail take a `struct ts_error *err` last and return 0 (or a count) or -errno.
 * The callee writes the whole sentence, in the shape
 *
 *	cannot <verb> <object> [<where>]: <reason>
 *
 * The hint names the setting and the value that would help. The struct has a fixed size, so a
 * report of "out of memory" cannot fail itself. Only commands print errors.
 *
 * Threads: an error belongs to one thread at a time; another thread reads it after the join.
 */
#ifndef TS_COMMON_BASE_ERROR_H
#define TS_COMMON_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

struct ts_error {
	int code;	/* positive errno value; 0: nothing failed */
	char text[512]; /* one sentence, no newline; of a longer one the middle is left out */
	char hint[384]; /* what to do about it; may be empty */
};

/* Sets code and sentence, clears the hint. Returns -code, for `return ts_error_set(...)`. */
int ts_error_set(struct ts_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with ": <strerror(code)>" added at the end. */
int ts_error_sys(struct ts_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* True if an errno (positive) says that memory or descriptors ran out. It says nothing about a file. */
bool ts_error_is_shortage(int code);

/*
 * True if an errno (positive) of opening or reading a file speaks of this machine, and not of the
 * file: a shortage, or the disk failed. The contents of the file are not known then.
 */
bool ts_error_is_of_machine(int code);

/* Adds or replaces the hint. Returns -err->code, so a function can end with this call. */
int ts_error_hint(struct ts_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
