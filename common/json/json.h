/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON document in memory (RFC 8259): built member by member and printed, or parsed from a text
 * that nobody trusts. tstream.json and the small answers with --json are made so; documents of any
 * length are printed by reader/runtime/json_text.h.
 *
 * Lack of memory is sticky, as in bytes.h: if a value cannot be added, its document has failed, and
 * ts_json_print() returns -ENOMEM instead of printing a part. Therefore callers that build need not
 * look at each result. Every function accepts NULL for a value or a text: it then adds nothing or
 * finds nothing.
 *
 * All values of a document lie in its blocks of memory. They are freed together, with the root.
 *
 * Threads: one owner at a time; readers may share a document that nobody changes.
 */
#ifndef TS_COMMON_JSON_JSON_H
#define TS_COMMON_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

enum ts_json_kind {
	TS_JSON_NULL,
	TS_JSON_BOOL,
	TS_JSON_INT, /* a number without fraction and exponent */
	TS_JSON_REAL,
	TS_JSON_TEXT,
	TS_JSON_ARRAY,
	TS_JSON_OBJECT,
};

struct ts_json;

/* The root of an empty document, an object; NULL: no memory. */
struct ts_json *ts_json_new(void);
/* A document with the same members; NULL: no memory. */
struct ts_json *ts_json_copy(const struct ts_json *root);
void ts_json_free(struct ts_json *root);

/*
 * Parses a text that has one object and nothing behind it. *ret_offset is where the text made no
 * sense. Errors: -EINVAL: no JSON object, or nested deeper than 32; -ENOMEM: no memory; -E2BIG: its
 * values would take more than `max_bytes` of memory. A whole number outside [INT64_MIN, UINT64_MAX]
 * becomes the nearest bound. \u0000 and half a pair of surrogates become U+FFFD; a bare control
 * character makes no sense. UTF-8 is not checked.
 */
int ts_json_parse(const char *text, size_t len, size_t max_bytes, struct ts_json **ret,
		  size_t *ret_offset);
/*
 * Appends the text, with two blanks for each level and no newline at the end. An array of whole
 * numbers stands in one line. Returns -ENOMEM if there was no memory, now or when the document was
 * built.
 */
int ts_json_print(const struct ts_json *root, struct ts_bytes *out);

/*
 * Add a member to an object, or replace it; in an array `key` is NULL, and the value is appended.
 * Keys are constants, texts are copied.
 */
void ts_json_put_number(struct ts_json *o, const char *key, uint64_t value);
void ts_json_put_signed(struct ts_json *o, const char *key, int64_t value);
void ts_json_put_real(struct ts_json *o, const char *key, double value); /* finite */
void ts_json_put_bool(struct ts_json *o, const char *key, bool value);
void ts_json_put_text(struct ts_json *o, const char *key, const char *text);
struct ts_json *ts_json_put_object(struct ts_json *o, const char *key);
struct ts_json *ts_json_put_array(struct ts_json *o, const char *key);
/* A deep copy of a value, which may be of another document. */
void ts_json_put_copy(struct ts_json *o, const char *key, const struct ts_json *value);
void ts_json_remove(struct ts_json *o, const char *key);

/* The last member with that key, or with that key and kind; NULL: none. */
struct ts_json *ts_json_any(const struct ts_json *o, const char *key);
struct ts_json *ts_json_member(const struct ts_json *o, const char *key, enum ts_json_kind kind);
/* A count; 0: the member is missing, no whole number, or negative. */
uint64_t ts_json_number(const struct ts_json *o, const char *key);
/* `otherwise` if the member is missing or no number. */
double ts_json_real(const struct ts_json *o, const char *key, double otherwise);
bool ts_json_is_true(const struct ts_json *o, const char *key);
/* NULL: the member is missing or no text. */
const char *ts_json_text(const struct ts_json *o, const char *key);

/* The values of an array or object, in their order. */
struct ts_json *ts_json_first(const struct ts_json *list);
struct ts_json *ts_json_next(const struct ts_json *value);
size_t ts_json_count(const struct ts_json *list);
/* The value itself as a count; 0: it is something else. */
uint64_t ts_json_value(const struct ts_json *value);

#endif
