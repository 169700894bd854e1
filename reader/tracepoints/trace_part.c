// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_part.h"

#include <string.h>

#include "reader/tracepoints/trace_conversions.h"
#include "reader/tracepoints/trace_lexer.h"

struct span {
	const char *at;
	size_t len;
};

struct print { /* taken apart */
	struct ts_bytes text;
	struct span arguments[TRACE_CONVERSIONS_MAX];
	size_t nr;
};

struct part {
	struct span text;
	size_t first, nr; /* arguments */
};

/* Quoted texts in a row are one; the text ends with a '"'. */
static void take_text(struct trace_lexer *w, struct print *p)
{
	for (; w->kind == TRACE_TEXT; trace_lexer_next(w))
		ts_bytes_put(&p->text, w->word + 1, w->len - 2);
	ts_bytes_put(&p->text, "\"", 1);
}

/* Each argument stands behind a comma; commas in parentheses belong to it. */
static void take_arguments(struct trace_lexer *w, struct print *p)
{
	int depth = 0;

	for (; w->kind != TRACE_END && w->kind != TRACE_ODD; trace_lexer_next(w)) {
		bool is_sign = w->kind == TRACE_SIGN && w->len == 1;

		if (is_sign && *w->word == ',' && !depth) {
			if (p->nr == TRACE_CONVERSIONS_MAX)
				return;
			p->arguments[p->nr++].at = w->at;
		} else if (p->nr) {
			struct span *argument = &p->arguments[p->nr - 1];

			argument->len = (size_t)(w->at - argument->at);
		}
		if (is_sign && strchr("([{", *w->word))
			depth++;
		else if (is_sign && strchr(")]}", *w->word))
			depth--;
	}
}

static bool names_field(const struct span *argument, const char *field)
{
	struct trace_lexer w = trace_lexer(argument->at, argument->len);

	for (; w.kind != TRACE_END && w.kind != TRACE_ODD; trace_lexer_next(&w))
		if (w.kind == TRACE_NAME && trace_lexer_are_at(&w, field))
			return true;
	return false;
}

/* Is the word the name of the field, or does it begin with it and a '=' or ':'? Cuts these. */
static bool cut_name(struct span *word, const char *field)
{
	size_t len = strlen(field);

	if (word->len < len || memcmp(word->at, field, len) != 0 ||
	    (word->len > len && !strchr("=:", word->at[len])))
		return false;
	len += word->len > len;
	word->at += len;
	word->len -= len;
	return true;
}

static void cut_punctuation(struct span *word)
{
	while (word->len && strchr(",;", word->at[word->len - 1]))
		word->len--;
}

static bool shows_field(const struct print *p, const struct part *part, const char *field)
{
	for (size_t i = 0; i < part->nr && part->first + i < p->nr; i++)
		if (names_field(&p->arguments[part->first + i], field))
			return true;
	return false;
}

/* The next word of the text, with the number of its arguments; false: no more. */
static bool take_word(const char **at, const char *end, struct trace_conversions *c,
		      struct span *ret)
{
	while (*at < end && strchr(" \t\n", **at))
		++*at;
	ret->at = *at;
	while (*at < end && !strchr(" \t\n", **at)) {
		bool is_conversion = *(*at)++ == '%';

		if (is_conversion)
			*at = trace_conversions_take(*at, c);
		if (!*at)
			return false;
	}
	ret->len = (size_t)(*at - ret->at);
	return ret->len;
}

static bool find_part(const struct print *p, const char *field, struct part *ret)
{
	const char *at = (const char *)p->text.data, *end = at + p->text.len - 1;
	struct trace_conversions c = {.nr = 0};
	bool has_name, is_behind = false;

	for (ret->first = 0; take_word(&at, end, &c, &ret->text); ret->first = c.nr) {
		has_name = cut_name(&ret->text, field);
		ret->nr = c.nr - ret->first;
		if ((has_name || is_behind) && shows_field(p, ret, field)) {
			cut_punctuation(&ret->text);
			return ret->first + ret->nr <= p->nr;
		}
		is_behind = has_name && !ret->text.len;
	}
	return false;
}

/* "name:", "ID:" and "format:", without their lines' ends */
static const char *skip_names(const char *text)
{
	for (int i = 0; i < 3; i++)
		text = strchr(text, '\n') + 1;
	return text;
}

bool trace_part_put(const char *text, size_t len, const struct trace_format *format,
		    const char *field, uint32_t id, struct ts_bytes *out)
{
	struct trace_lexer w = trace_lexer(text + format->head_bytes, len - format->head_bytes);
	const char *fields = skip_names(text);
	struct print p = {.nr = 0};
	struct part part;
	bool is_there;

	take_text(&w, &p);
	take_arguments(&w, &p);
	is_there = !ts_bytes_failed(&p.text) && find_part(&p, field, &part);
	if (is_there) {
		ts_bytes_printf(out, "name: part\nID: %u\nformat:\n", id);
		ts_bytes_put(out, fields, (size_t)(text + format->head_bytes - fields));
		ts_bytes_printf(out, " \"%.*s\"", (int)part.text.len, part.text.at);
		for (size_t i = 0; i < part.nr; i++)
			ts_bytes_printf(out, ",%.*s", (int)p.arguments[part.first + i].len,
					p.arguments[part.first + i].at);
		ts_bytes_put(out, "\n", 1);
	}
	out->failed |= ts_bytes_failed(&p.text);
	ts_bytes_release(&p.text);
	return is_there && !ts_bytes_failed(out);
}
