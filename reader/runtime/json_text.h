/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON for documents that are too long to be held in memory: members and brackets are appended to a
 * byte run, with commas where JSON wants them.
 *
 * The caller opens and closes brackets in pairs. Text may be any bytes: invalid UTF-8 becomes
 * U+FFFD, and control characters are escaped.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_RUNTIME_JSON_TEXT_H
#define TS_READER_RUNTIME_JSON_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct json {
	struct ts_bytes *out;
	bool is_behind; /* a member stands before, so a comma comes first */
};

/* The key of a member, NULL in arrays and at the top. Bracket is '{' or '['. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket); /* '}' or ']' */

void json_text(struct json *j, const char *key, const char *text);
void json_text_n(struct json *j, const char *key, const char *text, size_t len);
/* Releases the text, too. Memory that it lacked is a failure of j->out. */
void json_bytes(struct json *j, const char *key, struct ts_bytes *text);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_real(struct json *j, const char *key, double value); /* six decimals; finite */
/* value / 10^decimals, exactly, without zeros at the end; at most 19 decimals. */
void json_decimal(struct json *j, const char *key, uint64_t value, unsigned int decimals);
void json_null(struct json *j, const char *key);
void json_bool(struct json *j, const char *key, bool value);
void json_raw(struct json *j, const char *key, const char *value); /* that is JSON already */

/* Ends the line. Documents have one row a line, so call this before each row. */
void json_line(struct json *j);

#endif
