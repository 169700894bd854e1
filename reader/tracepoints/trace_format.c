// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_format.h"

#include <ctype.h>
#include <string.h>

#include "reader/tracepoints/trace_format_fields.h"
#include "reader/tracepoints/trace_lexer.h"
#include "reader/tracepoints/trace_print_format.h"

/* --- the head --- */

struct lines {
	const char *at, *end;
};

/* The words of the next line; false: there is none. */
static bool take_line(struct lines *l, struct trace_lexer *ret)
{
	const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));

	if (!newline)
		return false;
	*ret = trace_lexer(l->at, (size_t)(newline - l->at));
	l->at = newline + 1;
	return true;
}

/* Lines of fields up to an empty one. */
static bool take_fields(struct lines *l, struct trace_format_fields *fields)
{
	struct trace_lexer w;

	while (take_line(l, &w)) {
		if (w.kind == TRACE_END)
			return true;
		if (!trace_format_fields_take(fields, &w))
			return false;
	}
	return false;
}

/* libtraceevent prints events of ftrace with these names by formats in their samples. */
static bool has_code_in_samples(const struct trace_lexer *name)
{
	return trace_lexer_are_at(name, "bprint") || trace_lexer_are_at(name, "bputs");
}

/*
 * libtraceevent looks up in each sample which event it is of, at the place that the first format
 * gives.
 */
static bool has_type_first(const struct trace_format_fields *fields)
{
	static const char name[] = "common_type";
	const struct trace_field *f = &fields->items[0];

	return fields->nr && f->name_bytes == sizeof(name) - 1 &&
	       !memcmp(f->name, name, sizeof(name) - 1) && !f->offset &&
	       f->size == sizeof(uint16_t);
}

static bool take_names(struct lines *l, struct trace_format *ret)
{
	unsigned long long id;
	struct trace_lexer w;

	if (!take_line(l, &w) || !trace_lexer_take(&w, "name") || !trace_lexer_take(&w, ":") ||
	    w.kind != TRACE_NAME || has_code_in_samples(&w))
		return false;
	trace_lexer_next(&w);
	if (w.kind != TRACE_END || !take_line(l, &w) || !trace_lexer_take(&w, "ID") ||
	    !trace_lexer_take(&w, ":") || !trace_lexer_take_number(&w, UINT16_MAX, &id) ||
	    w.kind != TRACE_END)
		return false;
	ret->id = (uint32_t)id;
	return take_line(l, &w) && trace_lexer_take(&w, "format") && trace_lexer_take(&w, ":") &&
	       w.kind == TRACE_END;
}

bool trace_format_look(const char *text, size_t len, struct trace_format *ret)
{
	static const char mark[] = "print fmt:";
	struct lines l = {text, text + len};
	struct trace_format_fields fields = {.nr = 0};

	*ret = (struct trace_format){0};
	if (!take_names(&l, ret) || !take_fields(&l, &fields) || !has_type_first(&fields) ||
	    !take_fields(&l, &fields) || (size_t)(l.end - l.at) < sizeof(mark) - 1 ||
	    memcmp(l.at, mark, sizeof(mark) - 1))
		return false;
	l.at += sizeof(mark) - 1;
	ret->head_bytes = (size_t)(l.at - text);
	while (l.end > l.at && isspace((unsigned char)l.end[-1]))
		l.end--;
	ret->is_printable = trace_print_format_look(l.at, (size_t)(l.end - l.at), &fields, ret);
	return true;
}

/* --- samples --- */

static uint64_t read_length(const struct trace_length *length, const uint8_t *raw)
{
	uint64_t value = 0; /* little endian, as every capture that is read */

	memcpy(&value, raw + length->offset, length->size);
	return value;
}

bool trace_format_fits(const struct trace_format *f, const uint8_t *raw, uint32_t raw_size)
{
	for (uint32_t i = 0; i < f->nr_lengths; i++)
		if (read_length(&f->lengths[i], raw) > raw_size)
			return false;
	return true;
}

size_t trace_format_zeros(const struct trace_format *f, uint32_t raw_size)
{
	if (!f->reads_ahead)
		return sizeof(uint64_t);
	return TRACE_ELEMENT_MAX * ((size_t)raw_size + TRACE_LITERAL_MAX + 1);
}
