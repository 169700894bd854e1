// SPDX-License-Identifier: Apache-2.0
/*
 * The part behind "print fmt:" is a text with conversions, then an argument for each.
 *
 *	print	 = text { text } { "," argument }
 *	argument = element | unary { operator unary | "?" argument ":" argument }
 *	element	 = { cast } "REC" "->" field "[" number "]"
 *	unary	 = { "-" | "!" | "~" | cast } ( number | text | names | "REC" "->" field | call
 *		   | "(" argument ")" )
 *
 * An argument is a value or a text. Texts are quoted texts, arrays and results of __print_flags().
 * libtraceevent fails on an operator or a cast before a text. It also knows the precedence of
 * operators, so this check ignores it. It divides by any divisor in a format, so a divisor must be
 * a number other than 0, or the size of a type. It also reads through a null pointer for
 * __get_rel_dynamic_array_len.
 */
#include "reader/tracepoints/trace_print_format.h"

#include <string.h>

#include "reader/tracepoints/trace_conversions.h"
#include "reader/tracepoints/trace_lexer.h"

#define DEPTH_MAX 64 /* of expressions in each other */
#define INDEX_MAX 255

enum kind {
	KIND_NONE, /* not sound */
	KIND_VALUE,
	KIND_TEXT,
};

struct look {
	struct trace_lexer w;
	const struct trace_format_fields *fields;
	struct trace_format *format;
	unsigned int depth;
	bool is_constant; /* where the kernel has only constants */
};

static enum kind take_argument(struct look *l);

static bool take_value(struct look *l)
{
	return take_argument(l) == KIND_VALUE;
}

/* --- what functions read --- */

/* "REC" was taken. */
static const struct trace_field *take_member(struct look *l)
{
	const struct trace_field *f;

	if (!trace_lexer_take(&l->w, "->"))
		return NULL;
	f = trace_format_fields_named(l->fields, &l->w);
	trace_lexer_next(&l->w);
	return f;
}

/* "(NAME)" of a field that points to its bytes. */
static bool take_place(struct look *l, bool is_relative)
{
	const struct trace_field *f;

	if (!trace_lexer_take(&l->w, "("))
		return false;
	f = trace_format_fields_named(l->fields, &l->w);
	trace_lexer_next(&l->w);
	return f && f->is_dynamic && f->is_relative == is_relative && trace_lexer_take(&l->w, ")");
}

static bool take_divisor(struct look *l)
{
	struct trace_lexer number = l->w;
	unsigned long long value;

	if (trace_lexer_take_number(&number, UINT64_MAX, &value))
		return value != 0;
	return trace_lexer_are_at(&l->w, "sizeof");
}

static bool note_length(struct look *l, const struct trace_field *f)
{
	struct trace_format *to = l->format;

	if (!f || f->is_dynamic || f->is_array || f->size > 8 || !f->size ||
	    f->size & (f->size - 1) || to->nr_lengths == TRACE_LENGTHS_MAX)
		return false;
	to->lengths[to->nr_lengths++] =
		(struct trace_length){(uint16_t)f->offset, (uint8_t)f->size};
	return true;
}

static bool take_size_of(struct look *l)
{
	bool has_name = false;

	if (!trace_lexer_take(&l->w, "sizeof") || !trace_lexer_take(&l->w, "("))
		return false;
	for (; l->w.kind == TRACE_NAME; trace_lexer_next(&l->w))
		has_name = true;
	while (has_name && trace_lexer_take(&l->w, "*"))
		;
	return has_name && trace_lexer_take(&l->w, ")");
}

/* A number, a field of the sample or the length of an array: "(1 << 10)", "REC->len". */
static bool take_length(struct look *l)
{
	unsigned long long number, shift = 0;

	l->format->reads_ahead = true;
	if (trace_lexer_take(&l->w, "(")) {
		bool ok = ++l->depth < DEPTH_MAX && take_length(l) && trace_lexer_take(&l->w, ")");

		l->depth--;
		return ok;
	}
	if (trace_lexer_take_number(&l->w, TRACE_LITERAL_MAX, &number)) {
		if (trace_lexer_take(&l->w, "<<") && !trace_lexer_take_number(&l->w, 12, &shift))
			return false;
		return number << shift <= TRACE_LITERAL_MAX;
	}
	if (trace_lexer_take(&l->w, "REC"))
		return note_length(l, take_member(l));
	if (!trace_lexer_take(&l->w, "__get_dynamic_array_len") || !take_place(l, false))
		return false;
	if (!trace_lexer_take(&l->w, "/"))
		return true;
	if (!take_divisor(l))
		return false;
	return take_size_of(l) || trace_lexer_take_number(&l->w, UINT64_MAX, &number);
}

/* An array of the sample, which is printed as bytes or numbers. */
static bool take_array(struct look *l)
{
	const struct trace_field *f;

	if (trace_lexer_take(&l->w, "__get_dynamic_array"))
		return take_place(l, false);
	if (trace_lexer_take(&l->w, "__get_rel_dynamic_array"))
		return take_place(l, true);
	if (!trace_lexer_take(&l->w, "REC"))
		return false;
	f = take_member(l);
	return f && !f->is_dynamic;
}

static bool take_element_size(struct look *l)
{
	unsigned long long bytes;

	return take_size_of(l) ||
	       (trace_lexer_take_number(&l->w, TRACE_ELEMENT_MAX, &bytes) && bytes);
}

/* --- functions --- */

static bool take_constant(struct look *l)
{
	bool was_constant = l->is_constant, ok;

	l->is_constant = true;
	ok = take_value(l);
	l->is_constant = was_constant;
	return ok;
}

static bool take_text(struct look *l)
{
	if (l->w.kind != TRACE_TEXT)
		return false;
	while (l->w.kind == TRACE_TEXT)
		trace_lexer_next(&l->w);
	return true;
}

/* The last name may be 0, or 0 as a pointer. */
static bool take_name_of_value(struct look *l)
{
	static const char *const null[] = {"(", "(", "void", "*", ")", "0", ")"};
	size_t i = 0;

	if (take_text(l) || trace_lexer_take(&l->w, "0"))
		return true;
	while (i < sizeof(null) / sizeof(null[0]) && trace_lexer_take(&l->w, null[i]))
		i++;
	return i == sizeof(null) / sizeof(null[0]);
}

/* { value, "name" }, ... up to the end of the call. */
static bool take_names(struct look *l)
{
	while (trace_lexer_take(&l->w, ","))
		if (!trace_lexer_take(&l->w, "{") || !take_constant(l) ||
		    !trace_lexer_take(&l->w, ",") || !take_name_of_value(l) ||
		    !trace_lexer_take(&l->w, "}"))
			return false;
	return trace_lexer_take(&l->w, ")");
}

static bool take_flags(struct look *l)
{
	return trace_lexer_take(&l->w, "(") && take_value(l) && trace_lexer_take(&l->w, ",") &&
	       take_text(l) && take_names(l);
}

static bool take_symbols(struct look *l)
{
	return trace_lexer_take(&l->w, "(") && take_value(l) && take_names(l);
}

static bool take_hex(struct look *l)
{
	return trace_lexer_take(&l->w, "(") && take_array(l) && trace_lexer_take(&l->w, ",") &&
	       take_length(l) && trace_lexer_take(&l->w, ")");
}

static bool take_elements(struct look *l)
{
	return trace_lexer_take(&l->w, "(") && take_array(l) && trace_lexer_take(&l->w, ",") &&
	       take_length(l) && trace_lexer_take(&l->w, ",") && take_element_size(l) &&
	       trace_lexer_take(&l->w, ")");
}

static bool take_expected(struct look *l)
{
	unsigned long long expected;

	return trace_lexer_take(&l->w, "(") && take_value(l) && trace_lexer_take(&l->w, ",") &&
	       trace_lexer_take_number(&l->w, 1, &expected) && trace_lexer_take(&l->w, ")");
}

static bool take_place_in_sample(struct look *l)
{
	return take_place(l, false);
}

static bool take_relative_place(struct look *l)
{
	return take_place(l, true);
}

static enum kind take_call(struct look *l)
{
	static const struct {
		const char *name;
		bool (*take)(struct look *l);
		enum kind kind;
	} functions[] = {
		{"__get_str", take_place_in_sample, KIND_TEXT},
		{"__get_rel_str", take_relative_place, KIND_TEXT},
		{"__get_bitmask", take_place_in_sample, KIND_TEXT},
		{"__get_rel_bitmask", take_relative_place, KIND_TEXT},
		{"__get_cpumask", take_place_in_sample, KIND_TEXT},
		{"__get_rel_cpumask", take_relative_place, KIND_TEXT},
		{"__get_dynamic_array", take_place_in_sample, KIND_TEXT},
		{"__get_rel_dynamic_array", take_relative_place, KIND_TEXT},
		{"__get_dynamic_array_len", take_place_in_sample, KIND_VALUE},
		{"__builtin_expect", take_expected, KIND_VALUE},
		{"__print_flags", take_flags, KIND_TEXT},
		{"__print_symbolic", take_symbols, KIND_TEXT},
		{"__print_hex", take_hex, KIND_TEXT},
		{"__print_hex_str", take_hex, KIND_TEXT},
		{"__print_array", take_elements, KIND_TEXT},
	};

	for (size_t i = 0; !l->is_constant && i < sizeof(functions) / sizeof(functions[0]); i++)
		if (trace_lexer_take(&l->w, functions[i].name))
			return functions[i].take(l) ? functions[i].kind : KIND_NONE;
	return KIND_NONE;
}

/* --- expressions --- */

/* "(unsigned long *)", if an operand follows. */
static bool take_cast(struct look *l)
{
	struct trace_lexer w = l->w;

	if (!trace_lexer_take(&w, "(") || w.kind != TRACE_NAME || trace_lexer_are_at(&w, "REC"))
		return false;
	while (w.kind == TRACE_NAME)
		trace_lexer_next(&w);
	while (trace_lexer_take(&w, "*"))
		;
	if (!trace_lexer_take(&w, ")") ||
	    (w.kind != TRACE_NAME && w.kind != TRACE_NUMBER && !trace_lexer_are_at(&w, "(")))
		return false;
	l->w = w;
	return true;
}

static enum kind take_record(struct look *l)
{
	const struct trace_field *f = l->is_constant ? NULL : take_member(l);

	if (!f)
		return KIND_NONE;
	return f->is_dynamic || f->is_array ? KIND_TEXT : KIND_VALUE;
}

/* "HZ", "unsigned long": libtraceevent takes several names in a row as one. */
static enum kind take_name(struct look *l)
{
	struct trace_lexer next = l->w;

	if (trace_lexer_take(&l->w, "REC"))
		return take_record(l);
	if (trace_lexer_are_at(&l->w, "sizeof"))
		return take_size_of(l) ? KIND_VALUE : KIND_NONE;
	trace_lexer_next(&next);
	if (trace_lexer_are_at(&next, "("))
		return take_call(l);
	while (next.kind == TRACE_NAME && !trace_lexer_are_at(&next, "REC"))
		trace_lexer_next(&next);
	l->w = next;
	return KIND_VALUE;
}

static enum kind take_in_parentheses(struct look *l)
{
	enum kind kind = trace_lexer_take(&l->w, "(") ? take_argument(l) : KIND_NONE;

	return trace_lexer_take(&l->w, ")") ? kind : KIND_NONE;
}

static enum kind take_operand(struct look *l)
{
	switch (l->w.kind) {
	case TRACE_NUMBER:
		trace_lexer_next(&l->w);
		return KIND_VALUE;
	case TRACE_TEXT:
		return !l->is_constant && take_text(l) ? KIND_TEXT : KIND_NONE;
	case TRACE_NAME:
		return take_name(l);
	default:
		return take_in_parentheses(l);
	}
}

static enum kind take_unary(struct look *l)
{
	bool is_changed = false;
	enum kind kind;

	while (trace_lexer_take(&l->w, "-") || trace_lexer_take(&l->w, "!") ||
	       trace_lexer_take(&l->w, "~") || take_cast(l))
		is_changed = true;
	kind = take_operand(l);
	return is_changed && kind != KIND_VALUE ? KIND_NONE : kind;
}

static bool take_operator(struct look *l)
{
	static const char *const operators[] = {"+",  "-",  "*", "/", "%",  "<<",
						">>", "&",  "|", "^", "&&", "||",
						"==", "!=", "<", ">", "<=", ">="};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (trace_lexer_take(&l->w, operators[i]))
			return true;
	return false;
}

static bool take_operation(struct look *l)
{
	bool divides = trace_lexer_are_at(&l->w, "/") || trace_lexer_are_at(&l->w, "%");

	return take_operator(l) && (!divides || take_divisor(l)) && take_unary(l) == KIND_VALUE;
}

/* Behind "?". */
static enum kind take_choice(struct look *l)
{
	enum kind yes = take_argument(l), no;

	if (yes == KIND_NONE || !trace_lexer_take(&l->w, ":"))
		return KIND_NONE;
	no = take_argument(l);
	return no == KIND_NONE || yes == no ? no : KIND_TEXT;
}

/* Does the expression end behind an operand? */
static bool is_over(const struct look *l)
{
	static const char *const ends[] = {",", ")", "}", ":", "]"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (trace_lexer_are_at(&l->w, ends[i]))
			return true;
	return l->w.kind == TRACE_END;
}

static enum kind take_argument(struct look *l)
{
	enum kind kind = ++l->depth < DEPTH_MAX ? take_unary(l) : KIND_NONE;

	while (kind == KIND_VALUE && !is_over(l)) {
		if (trace_lexer_take(&l->w, "?"))
			kind = take_choice(l);
		else if (!take_operation(l))
			kind = KIND_NONE;
	}
	l->depth--;
	return kind;
}

static bool take_index(struct look *l)
{
	unsigned long long index;

	l->format->reads_ahead = true;
	return trace_lexer_take(&l->w, "[") && trace_lexer_take_number(&l->w, INDEX_MAX, &index) &&
	       trace_lexer_take(&l->w, "]");
}

/* "(void *)REC->caller[1]": libtraceevent fails on it as a part of an expression. */
static bool take_element(struct look *l)
{
	struct look begin = *l;
	const struct trace_field *f;

	while (take_cast(l))
		;
	f = trace_lexer_take(&l->w, "REC") ? take_member(l) : NULL;
	if (f && f->is_array && !f->is_dynamic && take_index(l) &&
	    (l->w.kind == TRACE_END || trace_lexer_are_at(&l->w, ",")))
		return true;
	*l = begin;
	return false;
}

/* --- the text --- */

static bool take_conversions(struct look *l, struct trace_conversions *c)
{
	if (l->w.kind != TRACE_TEXT)
		return false;
	for (; l->w.kind == TRACE_TEXT; trace_lexer_next(&l->w)) {
		const char *at = l->w.word + 1, *end = l->w.word + l->w.len - 1;

		while (at && at < end)
			at = *at++ == '%' ? trace_conversions_take(at, c) : at;
		if (!at)
			return false;
	}
	return true;
}

/*
 * A width that a field of the sample gives may be 2 GB of blanks, and libtraceevent uses it even for
 * the field alone.
 */
static bool take_width(struct look *l)
{
	const uint32_t before = l->format->nr_lengths;

	return take_length(l) && l->format->nr_lengths == before;
}

static bool take_wanted(struct look *l, enum trace_wanted wanted)
{
	if (wanted == TRACE_WANTED_WIDTH)
		return take_width(l);
	return take_element(l) || take_argument(l) != KIND_NONE;
}

bool trace_print_format_look(const char *text, size_t len, const struct trace_format_fields *fields,
			     struct trace_format *ret)
{
	struct look l = {.w = trace_lexer(text, len), .fields = fields, .format = ret};
	struct trace_conversions c = {.nr = 0};

	if (!take_conversions(&l, &c))
		return false;
	for (size_t i = 0; i < c.nr; i++)
		if (!trace_lexer_take(&l.w, ",") || !take_wanted(&l, c.wanted[i]))
			return false;
	return l.w.kind == TRACE_END;
}
