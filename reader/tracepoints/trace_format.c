// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <string.h>

#include "common/base/bytes.h"
#include "reader/tracepoints/trace_format_parts.h"

#define OFFSET_MAX UINT16_MAX /* no payload is larger */

/* --- the head --- */

struct lines {
	const char *at, *end;
};

/* The words of the next line; false: there is none. */
static bool take_line(struct lines *l, struct trace_words *ret)
{
	const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));

	if (!newline)
		return false;
	*ret = trace_words(l->at, (size_t)(newline - l->at));
	l->at = newline + 1;
	return true;
}

/* "[16]", "[]", "[sizeof(u8) * 4]". */
static bool take_brackets(struct trace_words *w)
{
	while (!trace_words_are_at(w, "]")) {
		if (w->kind != TRACE_NAME && w->kind != TRACE_NUMBER &&
		    !(w->kind == TRACE_SIGN && w->len == 1 && strchr("()+-*/", *w->word)))
			return false;
		trace_words_next(w);
	}
	return trace_words_take(w, "]");
}

static bool begins_with(const struct trace_words *w, const char *prefix)
{
	return w->len >= strlen(prefix) && !memcmp(w->word, prefix, strlen(prefix));
}

/* Its first word says whether the field tells where its bytes are. */
static bool take_kind(struct trace_words *w, struct trace_field *ret)
{
	ret->is_relative = trace_words_are_at(w, "__rel_loc");
	ret->is_dynamic = ret->is_relative || trace_words_are_at(w, "__data_loc");
	/* libtraceevent looks at the beginning of the word */
	return ret->is_dynamic || (!begins_with(w, "__rel_loc") && !begins_with(w, "__data_loc"));
}

/* "unsigned long args[6]": the last name is the field's. */
static bool take_declaration(struct trace_words *w, struct trace_field *ret)
{
	unsigned int nr_names = 0;

	if (!take_kind(w, ret))
		return false;
	while (!trace_words_are_at(w, ";")) {
		if (w->kind == TRACE_NAME) {
			nr_names++;
			ret->name = w->word;
			ret->name_bytes = w->len;
			ret->is_array = false;
			trace_words_next(w);
		} else if (trace_words_take(w, "[")) {
			ret->is_array = true;
			if (!nr_names || !take_brackets(w))
				return false;
		} else if (!nr_names || !trace_words_take(w, "*")) {
			return false;
		}
	}
	return nr_names >= 2;
}

static bool take_property(struct trace_words *w, const char *name, uint32_t *ret)
{
	unsigned long long value;

	if (!trace_words_take(w, name) || !trace_words_take(w, ":") ||
	    !trace_words_take_number(w, OFFSET_MAX, &value))
		return false;
	*ret = (uint32_t)value;
	return trace_words_take(w, ";");
}

static bool take_field(struct trace_words *w, struct trace_fields *fields)
{
	struct trace_field *f = &fields->items[fields->nr];
	uint32_t is_signed;

	if (fields->nr == TRACE_FIELDS_MAX || !trace_words_take(w, "field") ||
	    !trace_words_take(w, ":") || !take_declaration(w, f) || !trace_words_take(w, ";") ||
	    !take_property(w, "offset", &f->offset) || !take_property(w, "size", &f->size))
		return false;
	fields->nr++;
	if (w->kind != TRACE_END && !take_property(w, "signed", &is_signed))
		return false;
	return w->kind == TRACE_END && (!f->is_dynamic || f->size == sizeof(uint32_t));
}

/* Lines of fields up to an empty one. */
static bool take_fields(struct lines *l, struct trace_fields *fields)
{
	struct trace_words w;

	while (take_line(l, &w)) {
		if (w.kind == TRACE_END)
			return true;
		if (!take_field(&w, fields))
			return false;
	}
	return false;
}

/* libtraceevent prints events of these names, where ftrace has them, by what their samples say. */
static bool has_code_in_samples(const struct trace_words *name)
{
	return trace_words_are_at(name, "bprint") || trace_words_are_at(name, "bputs");
}

static bool take_names(struct lines *l, struct trace_format *ret)
{
	unsigned long long id;
	struct trace_words w;

	if (!take_line(l, &w) || !trace_words_take(&w, "name") || !trace_words_take(&w, ":") ||
	    w.kind != TRACE_NAME || has_code_in_samples(&w))
		return false;
	trace_words_next(&w);
	if (w.kind != TRACE_END || !take_line(l, &w) || !trace_words_take(&w, "ID") ||
	    !trace_words_take(&w, ":") || !trace_words_take_number(&w, INT32_MAX, &id) ||
	    w.kind != TRACE_END)
		return false;
	ret->id = (uint32_t)id;
	return take_line(l, &w) && trace_words_take(&w, "format") && trace_words_take(&w, ":") &&
	       w.kind == TRACE_END;
}

const struct trace_field *trace_field_named(const struct trace_fields *fields,
					    const struct trace_words *w)
{
	for (uint32_t i = 0; w->kind == TRACE_NAME && i < fields->nr; i++)
		if (fields->items[i].name_bytes == w->len &&
		    !memcmp(fields->items[i].name, w->word, w->len))
			return &fields->items[i];
	return NULL;
}

bool trace_format_look(const char *text, size_t len, struct trace_format *ret)
{
	static const char mark[] = "print fmt:";
	struct lines l = {text, text + len};
	struct trace_fields fields = {.nr = 0};

	*ret = (struct trace_format){0};
	if (!take_names(&l, ret) || !take_fields(&l, &fields) || !take_fields(&l, &fields) ||
	    (size_t)(l.end - l.at) < sizeof(mark) - 1 || memcmp(l.at, mark, sizeof(mark) - 1))
		return false;
	l.at += sizeof(mark) - 1;
	ret->head_bytes = (size_t)(l.at - text);
	while (l.end > l.at && isspace((unsigned char)l.end[-1]))
		l.end--;
	ret->is_printable = trace_expression_look(l.at, (size_t)(l.end - l.at), &fields, ret);
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
