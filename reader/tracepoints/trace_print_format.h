/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the part behind "print fmt:" in the format of a tracepoint: a text with conversions and a
 * C expression for each.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_PRINT_FORMAT_H
#define TS_READER_TRACEPOINTS_TRACE_PRINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "reader/tracepoints/trace_format.h"
#include "reader/tracepoints/trace_format_fields.h"

#define TRACE_LITERAL_MAX 4096 /* elements that a number in a format may ask for */
#define TRACE_ELEMENT_MAX 8    /* bytes of one */

/* Is the text sound, with these fields? Adds to *ret which lengths it reads. */
bool trace_print_format_look(const char *text, size_t len, const struct trace_format_fields *fields,
			     struct trace_format *ret);

#endif
