// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_format_fields.h"

#include <string.h>

#define OFFSET_MAX UINT16_MAX /* no payload is larger */

/* "[16]", "[]", "[sizeof(u8) * 4]". */
static bool take_brackets(struct trace_lexer *w)
{
	while (!trace_lexer_are_at(w, "]")) {
		if (w->kind != TRACE_NAME && w->kind != TRACE_NUMBER &&
		    !(w->kind == TRACE_SIGN && w->len == 1 && strchr("()+-*/", *w->word)))
			return false;
		trace_lexer_next(w);
	}
	return trace_lexer_take(w, "]");
}

static bool begins_with(const struct trace_lexer *w, const char *prefix)
{
	return w->len >= strlen(prefix) && !memcmp(w->word, prefix, strlen(prefix));
}

/* The first word tells whether the field points to its bytes. */
static bool take_kind(struct trace_lexer *w, struct trace_field *ret)
{
	ret->is_relative = trace_lexer_are_at(w, "__rel_loc");
	ret->is_dynamic = ret->is_relative || trace_lexer_are_at(w, "__data_loc");
	/* libtraceevent looks at the beginning of the word */
	return ret->is_dynamic || (!begins_with(w, "__rel_loc") && !begins_with(w, "__data_loc"));
}

/* "unsigned long args[6]": the last name is the field's. */
static bool take_declaration(struct trace_lexer *w, struct trace_field *ret)
{
	unsigned int nr_names = 0;

	if (!take_kind(w, ret))
		return false;
	while (!trace_lexer_are_at(w, ";")) {
		if (w->kind == TRACE_NAME) {
			nr_names++;
			ret->name = w->word;
			ret->name_bytes = w->len;
			ret->is_array = false;
			trace_lexer_next(w);
		} else if (trace_lexer_take(w, "[")) {
			ret->is_array = true;
			if (!nr_names || !take_brackets(w))
				return false;
		} else if (!nr_names || !trace_lexer_take(w, "*")) {
			return false;
		}
	}
	return nr_names >= 2;
}

static bool take_property(struct trace_lexer *w, const char *name, uint32_t *ret)
{
	unsigned long long value;

	if (!trace_lexer_take(w, name) || !trace_lexer_take(w, ":") ||
	    !trace_lexer_take_number(w, OFFSET_MAX, &value))
		return false;
	*ret = (uint32_t)value;
	return trace_lexer_take(w, ";");
}

bool trace_format_fields_take(struct trace_format_fields *fields, struct trace_lexer *w)
{
	struct trace_field *f = &fields->items[fields->nr];
	uint32_t is_signed;

	if (fields->nr == TRACE_FIELDS_MAX || !trace_lexer_take(w, "field") ||
	    !trace_lexer_take(w, ":") || !take_declaration(w, f) || !trace_lexer_take(w, ";") ||
	    !take_property(w, "offset", &f->offset) || !take_property(w, "size", &f->size))
		return false;
	fields->nr++;
	if (w->kind != TRACE_END && !take_property(w, "signed", &is_signed))
		return false;
	return w->kind == TRACE_END && (!f->is_dynamic || f->size == sizeof(uint32_t));
}

const struct trace_field *trace_format_fields_named(const struct trace_format_fields *fields,
						    const struct trace_lexer *w)
{
	for (uint32_t i = 0; w->kind == TRACE_NAME && i < fields->nr; i++)
		if (fields->items[i].name_bytes == w->len &&
		    !memcmp(fields->items[i].name, w->word, w->len))
			return &fields->items[i];
	return NULL;
}
