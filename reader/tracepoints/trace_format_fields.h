/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields in the format of a tracepoint, one on each line:
 *
 *	field:__data_loc u8[] buf;	offset:12;	size:4;	signed:0;
 *
 * Names point into the text of the format.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_FORMAT_FIELDS_H
#define TS_READER_TRACEPOINTS_TRACE_FORMAT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/tracepoints/trace_lexer.h"

#define TRACE_FIELDS_MAX 256 /* several times what any kernel's event has */

struct trace_field {
	const char *name;
	size_t name_bytes;
	uint32_t offset, size;
	bool is_dynamic;  /* __data_loc or __rel_loc: it tells where its bytes are */
	bool is_relative; /* __rel_loc */
	bool is_array;
};

struct trace_format_fields {
	struct trace_field items[TRACE_FIELDS_MAX];
	uint32_t nr;
};

/* Reads the words of a line and adds its field. False: the kernel would not write such a line. */
bool trace_format_fields_take(struct trace_format_fields *fields, struct trace_lexer *w);
/* The field that the word names; NULL: none. */
const struct trace_field *trace_format_fields_named(const struct trace_format_fields *fields,
						    const struct trace_lexer *w);

#endif
