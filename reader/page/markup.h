/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text inside XML and HTML. Names come from captures, so nothing in them may be markup.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_PAGE_MARKUP_H
#define TS_READER_PAGE_MARKUP_H

#include <stddef.h>

#include "common/base/bytes.h"

/*
 * Appends `len` bytes as text: < > & " ' are escaped, control characters and bytes that are no UTF-8
 * become U+FFFD.
 */
void markup_put(struct ts_bytes *out, const char *text, size_t len);
/* The same for the first characters of a text, at most `most`: a longer one ends in "..". */
void markup_put_cut(struct ts_bytes *out, const char *text, size_t len, size_t most);
/* Lines of text, whose newlines stay. */
void markup_put_lines(struct ts_bytes *out, const char *lines);
/*
 * The same without escapes, for text that is no markup: the characters that have room in `most` bytes.
 */
void markup_put_plain(struct ts_bytes *out, const char *text, size_t len, size_t most);
/* Characters of a text, each byte that is no UTF-8 being one. */
size_t markup_length(const char *text, size_t len);

#endif
