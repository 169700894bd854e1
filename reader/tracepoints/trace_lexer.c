// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 24 /* more than 64 bits and their suffix need */

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * The bytes of a quoted text at w->at. 0: it does not end, or holds characters that cannot be
 * printed.
 */
static size_t quoted_bytes(const struct trace_lexer *w)
{
	const char *at = w->at + 1;

	while (at < w->end && *at != *w->at) {
		if (*at == '\\')
			at++;
		if (at >= w->end || (!isprint((unsigned char)*at) && !isspace((unsigned char)*at)))
			return 0;
		at++;
	}
	return at < w->end ? (size_t)(at + 1 - w->at) : 0;
}

static size_t sign_bytes(const struct trace_lexer *w)
{
	static const char *const doubles[] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++)
		if (w->end - w->at >= 2 && !memcmp(w->at, doubles[i], 2))
			return 2;
	return strchr("+-*/%&|^~!?:<>,(){}[];", *w->at) ? 1 : 0;
}

static enum trace_word measure_word(struct trace_lexer *w)
{
	char c = *w->at;

	w->len = 0;
	if (c == '"' || c == '\'') {
		w->len = quoted_bytes(w);
		return !w->len ? TRACE_ODD : c == '"' ? TRACE_TEXT : TRACE_NUMBER;
	}
	while (w->at + w->len < w->end && is_of_name(w->at[w->len]))
		w->len++;
	if (w->len)
		return isdigit((unsigned char)c) ? TRACE_NUMBER : TRACE_NAME;
	w->len = c ? sign_bytes(w) : 0;
	return w->len ? TRACE_SIGN : TRACE_ODD;
}

void trace_lexer_next(struct trace_lexer *w)
{
	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
		w->at++;
	w->word = w->at;
	w->len = 0;
	w->kind = w->at < w->end ? measure_word(w) : TRACE_END;
	w->at += w->len;
}

struct trace_lexer trace_lexer(const char *text, size_t len)
{
	struct trace_lexer w = {.at = text, .end = text + len};

	trace_lexer_next(&w);
	return w;
}

bool trace_lexer_are_at(const struct trace_lexer *w, const char *word)
{
	return w->kind != TRACE_ODD && w->len == strlen(word) && w->len &&
	       !memcmp(w->word, word, w->len);
}

bool trace_lexer_take(struct trace_lexer *w, const char *word)
{
	if (!trace_lexer_are_at(w, word))
		return false;
	trace_lexer_next(w);
	return true;
}

bool trace_lexer_take_number(struct trace_lexer *w, unsigned long long most,
			     unsigned long long *ret)
{
	char text[NUMBER_BYTES] = "";
	char *suffix;

	if (w->kind != TRACE_NUMBER || *w->word == '\'' || w->len >= sizeof(text))
		return false;
	memcpy(text, w->word, w->len);
	*ret = strtoull(text, &suffix, 0);
	if (suffix[strspn(suffix, "uUlL")] || *ret > most)
		return false;
	trace_lexer_next(w);
	return true;
}
