/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conversions in the text of a tracepoint's print format, such as "%-5s" and "%.*s", and the
 * arguments that they take.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_CONVERSIONS_H
#define TS_READER_TRACEPOINTS_TRACE_CONVERSIONS_H

#include <stdbool.h>
#include <stddef.h>

#define TRACE_CONVERSIONS_MAX 128

enum trace_wanted {
	TRACE_WANTED_ANY,
	TRACE_WANTED_WIDTH, /* of a width: bounded */
};

struct trace_conversions {
	enum trace_wanted wanted[TRACE_CONVERSIONS_MAX]; /* one per argument */
	size_t nr;
};

/*
 * Behind "%": adds the arguments of the conversion; returns what follows it. NULL: no conversion of
 * the kernel's, or too many. The text must end with a '"'.
 */
const char *trace_conversions_take(const char *at, struct trace_conversions *c);

#endif
