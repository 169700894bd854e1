/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What trace_format.c and trace_print_format.c share; of no use to others.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_FORMAT_PARTS_H
#define TS_READER_TRACEPOINTS_TRACE_FORMAT_PARTS_H

#include "reader/tracepoints/trace_format.h"
#include "reader/tracepoints/trace_lexer.h"

#define TRACE_FIELDS_MAX  256  /* several times what any kernel's event has */
#define TRACE_LITERAL_MAX 4096 /* elements that a number in a format may ask for */
#define TRACE_ELEMENT_MAX 8    /* bytes of one */

struct trace_field {
	const char *name;
	size_t name_bytes;
	uint32_t offset, size;
	bool is_dynamic;  /* __data_loc or __rel_loc: it says where its bytes are */
	bool is_relative; /* __rel_loc */
	bool is_array;
};

struct trace_fields {
	struct trace_field items[TRACE_FIELDS_MAX];
	uint32_t nr;
};

/* The field that the word names; NULL: none. */
const struct trace_field *trace_field_named(const struct trace_fields *fields,
					    const struct trace_words *w);

/* Is what stands behind "print fmt:" sound? Adds to *ret what it reads. */
bool trace_expression_look(const char *text, size_t len, const struct trace_fields *fields,
			   struct trace_format *ret);

#endif
