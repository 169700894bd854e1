/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a document and the memory they lie in, for the modules of this room.
 *
 * Threads: as json.h.
 */
#ifndef TS_COMMON_JSON_JSON_TREE_H
#define TS_COMMON_JSON_JSON_TREE_H

#include "common/json/json.h"

struct json_block; /* of memory */

struct ts_json {
	struct json_document *document;
	const char *key; /* NULL: in an array, or the root */
	struct ts_json *next;
	enum ts_json_kind kind;
	bool is_negative; /* a whole number; `number` is then an int64_t */
	union {
		uint64_t number; /* TS_JSON_INT, TS_JSON_BOOL */
		double real;
		const char *text; /* ends with NUL */
		struct {
			struct ts_json *first, *last;
			size_t nr;
		} list; /* of an array or object */
	};
};

struct json_document {
	struct ts_json root; /* first: the root is the document */
	struct json_block *blocks;
	size_t bytes, max_bytes; /* of all blocks */
	bool failed;		 /* a value is missing, because there was no memory for it */
	bool is_full;		 /* the cause was max_bytes */
};

/* A document whose root has no value yet; NULL: no memory. */
struct json_document *ts_json_document_new(size_t max_bytes);
/* Memory of the document, aligned for values. NULL: the document has failed. */
void *ts_json_document_take(struct json_document *d, size_t bytes);
/* Appends an empty value. NULL: the document has failed. `key` lives as long as the document. */
struct ts_json *ts_json_append(struct ts_json *list, const char *key, enum ts_json_kind kind);

#endif
