// SPDX-License-Identifier: Apache-2.0
/*
 * Values are taken from blocks that double in size up to 1 MiB; each block points to the one before
 * it. A removed value stays in its block until the document is freed.
 */
#include "common/json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/json/json_tree.h"

#define FIRST_BLOCK_BYTES 4096u
#define LAST_BLOCK_BYTES  (1u << 20)

struct json_block {
	struct json_block *before;
	size_t used, bytes; /* without this header */
	_Alignas(8) uint8_t data[];
};

/* --- memory --- */

struct json_document *ts_json_document_new(size_t max_bytes)
{
	struct json_document *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->max_bytes = max_bytes;
	d->root.document = d;
	d->root.kind = TS_JSON_OBJECT;
	return d;
}

static bool add_block(struct json_document *d, size_t least)
{
	size_t bytes = d->blocks ? ts_min(2 * d->blocks->bytes, (size_t)LAST_BLOCK_BYTES)
				 : FIRST_BLOCK_BYTES;
	struct json_block *block = NULL;

	bytes = ts_max(bytes, least);
	d->is_full = bytes > d->max_bytes - d->bytes;
	if (!d->is_full)
		block = malloc(sizeof(*block) + bytes);
	if (!block)
		return false;
	*block = (struct json_block){.before = d->blocks, .bytes = bytes};
	d->blocks = block;
	d->bytes += bytes;
	return true;
}

void *ts_json_document_take(struct json_document *d, size_t bytes)
{
	struct json_block *block = d->blocks;
	void *taken;

	if (bytes > SIZE_MAX / 2) {
		d->failed = true;
		return NULL;
	}
	bytes = (bytes + 7) / 8 * 8;
	if ((!block || bytes > block->bytes - block->used) && !add_block(d, bytes)) {
		d->failed = true;
		return NULL;
	}
	block = d->blocks;
	taken = block->data + block->used;
	block->used += bytes;
	return taken;
}

struct ts_json *ts_json_new(void)
{
	struct json_document *d = ts_json_document_new(SIZE_MAX);

	return d ? &d->root : NULL;
}

void ts_json_free(struct ts_json *root)
{
	struct json_block *block, *before;

	if (!root)
		return;
	for (block = root->document->blocks; block; block = before) {
		before = block->before;
		free(block);
	}
	free(root->document);
}

/* --- building --- */

struct ts_json *ts_json_append(struct ts_json *list, const char *key, enum ts_json_kind kind)
{
	struct ts_json *value = ts_json_document_take(list->document, sizeof(*value));

	if (!value)
		return NULL;
	*value = (struct ts_json){.document = list->document, .key = key, .kind = kind};
	if (list->list.last)
		list->list.last->next = value;
	else
		list->list.first = value;
	list->list.last = value;
	list->list.nr++;
	return value;
}

static bool is_list(const struct ts_json *o)
{
	return o && (o->kind == TS_JSON_ARRAY || o->kind == TS_JSON_OBJECT);
}

struct ts_json *ts_json_any(const struct ts_json *o, const char *key)
{
	struct ts_json *found = NULL;

	if (!o || o->kind != TS_JSON_OBJECT)
		return NULL;
	for (struct ts_json *value = o->list.first; value; value = value->next)
		if (!strcmp(value->key, key))
			found = value;
	return found;
}

/* The member to be set, which keeps its place if it was there. NULL: nowhere to put it. */
static struct ts_json *put(struct ts_json *o, const char *key, enum ts_json_kind kind)
{
	struct ts_json *value;

	if (!is_list(o) || (o->kind == TS_JSON_OBJECT) != (key != NULL))
		return NULL;
	value = key ? ts_json_any(o, key) : NULL;
	if (!value)
		return ts_json_append(o, key, kind);
	*value = (struct ts_json){
		.document = o->document, .key = key, .next = value->next, .kind = kind};
	return value;
}

void ts_json_put_number(struct ts_json *o, const char *key, uint64_t number)
{
	struct ts_json *value = put(o, key, TS_JSON_INT);

	if (value)
		value->number = number;
}

void ts_json_put_signed(struct ts_json *o, const char *key, int64_t number)
{
	struct ts_json *value = put(o, key, TS_JSON_INT);

	if (!value)
		return;
	value->number = (uint64_t)number;
	value->is_negative = number < 0;
}

void ts_json_put_real(struct ts_json *o, const char *key, double real)
{
	struct ts_json *value = put(o, key, TS_JSON_REAL);

	if (value)
		value->real = real;
}

void ts_json_put_bool(struct ts_json *o, const char *key, bool is_true)
{
	struct ts_json *value = put(o, key, TS_JSON_BOOL);

	if (value)
		value->number = is_true;
}

/* NULL: no memory. */
static const char *copy_text(struct json_document *d, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = ts_json_document_take(d, bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

void ts_json_put_text(struct ts_json *o, const char *key, const char *text)
{
	const char *copy = is_list(o) && text ? copy_text(o->document, text) : NULL;
	struct ts_json *value = copy ? put(o, key, TS_JSON_TEXT) : NULL;

	if (value)
		value->text = copy;
}

struct ts_json *ts_json_put_object(struct ts_json *o, const char *key)
{
	return put(o, key, TS_JSON_OBJECT);
}

struct ts_json *ts_json_put_array(struct ts_json *o, const char *key)
{
	return put(o, key, TS_JSON_ARRAY);
}

static void append_copy(struct ts_json *o, const struct ts_json *value)
{
	const char *key = value->key ? copy_text(o->document, value->key) : NULL;

	if (key || !value->key)
		ts_json_put_copy(o, key, value);
}

void ts_json_put_copy(struct ts_json *o, const char *key, const struct ts_json *value)
{
	struct ts_json *copy;

	if (!value)
		return;
	if (value->kind == TS_JSON_TEXT) {
		ts_json_put_text(o, key, value->text);
		return;
	}
	copy = put(o, key, value->kind);
	if (!copy)
		return;
	if (!is_list(value)) {
		copy->is_negative = value->is_negative;
		copy->number = value->number; /* or `real`, which has the same size */
		return;
	}
	for (const struct ts_json *child = value->list.first; child; child = child->next)
		append_copy(copy, child);
}

struct ts_json *ts_json_copy(const struct ts_json *root)
{
	struct ts_json *copy = ts_json_new();

	for (const struct ts_json *child = ts_json_first(root); copy && child; child = child->next)
		append_copy(copy, child);
	if (copy && root)
		copy->document->failed |= root->document->failed;
	return copy;
}

void ts_json_remove(struct ts_json *o, const char *key)
{
	struct ts_json *before = NULL, *next;

	if (!o || o->kind != TS_JSON_OBJECT)
		return;
	for (struct ts_json *value = o->list.first; value; value = next) {
		next = value->next;
		if (strcmp(value->key, key) != 0) {
			before = value;
			continue;
		}
		if (before)
			before->next = next;
		else
			o->list.first = next;
		o->list.nr--;
	}
	o->list.last = before;
}

/* --- looking --- */

struct ts_json *ts_json_member(const struct ts_json *o, const char *key, enum ts_json_kind kind)
{
	struct ts_json *value = ts_json_any(o, key);

	return value && value->kind == kind ? value : NULL;
}

uint64_t ts_json_value(const struct ts_json *value)
{
	return value && value->kind == TS_JSON_INT && !value->is_negative ? value->number : 0;
}

uint64_t ts_json_number(const struct ts_json *o, const char *key)
{
	return ts_json_value(ts_json_any(o, key));
}

double ts_json_real(const struct ts_json *o, const char *key, double otherwise)
{
	const struct ts_json *value = ts_json_any(o, key);

	if (value && value->kind == TS_JSON_REAL)
		return value->real;
	if (!value || value->kind != TS_JSON_INT)
		return otherwise;
	return value->is_negative ? (double)(int64_t)value->number : (double)value->number;
}

bool ts_json_is_true(const struct ts_json *o, const char *key)
{
	const struct ts_json *value = ts_json_any(o, key);

	return value && value->kind == TS_JSON_BOOL && value->number;
}

const char *ts_json_text(const struct ts_json *o, const char *key)
{
	const struct ts_json *value = ts_json_any(o, key);

	return value && value->kind == TS_JSON_TEXT ? value->text : NULL;
}

struct ts_json *ts_json_first(const struct ts_json *list)
{
	return is_list(list) ? list->list.first : NULL;
}

struct ts_json *ts_json_next(const struct ts_json *value)
{
	return value ? value->next : NULL;
}

size_t ts_json_count(const struct ts_json *list)
{
	return is_list(list) ? list->list.nr : 0;
}
