/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of a tracepoint's format: names, numbers, texts in quotation marks, signs. Blanks
 * between words have no meaning.
 *
 * Threads: pure functions of their arguments.
 */
#ifndef TS_READER_TRACEPOINTS_TRACE_LEXER_H
#define TS_READER_TRACEPOINTS_TRACE_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum trace_word {
	TRACE_END,
	TRACE_NAME,
	TRACE_NUMBER, /* also 'c' */
	TRACE_TEXT,   /* with its quotation marks */
	TRACE_SIGN,   /* of one or two characters, as in C */
	TRACE_ODD,    /* none of these; it ends the words */
};

struct trace_lexer {
	const char *at, *end; /* what follows the word */
	enum trace_word kind; /* of the word, which is [word, word + len) */
	const char *word;
	size_t len;
};

/* The first word of a text. */
struct trace_lexer trace_lexer(const char *text, size_t len);
void trace_lexer_next(struct trace_lexer *w);
/* Does the word have this text, of any kind? */
bool trace_lexer_are_at(const struct trace_lexer *w, const char *word);
/* If so, goes on to the next word. */
bool trace_lexer_take(struct trace_lexer *w, const char *word);
/*
 * The value of a number; goes on to the next word. False: it is no number, or is larger than
 * `most`.
 */
bool trace_lexer_take_number(struct trace_lexer *w, unsigned long long most,
			     unsigned long long *ret);

#endif
