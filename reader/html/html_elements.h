/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the page: each element is one zlib stream in base64, which no text can end.
 *
 *	html_elements_add()        bytes, or one plane of a column
 *	html_elements_pack()       compresses all, on several cores
 *	html_elements_bytes()      what they will take in the page
 *	html_elements_write()
 *
 * A column of numbers is cut into planes: one has the lowest byte of each number, the next one the next. The
 * high bytes are almost all equal, so they take almost no room.
 *
 * Threads: one owner; packing uses several.
 */
#ifndef TS_READER_HTML_HTML_ELEMENTS_H
#define TS_READER_HTML_HTML_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/runtime/memory.h"
#include "reader/runtime/progress.h"

#define HTML_ELEMENTS_MOST    64
#define HTML_ELEMENTS_WORKERS 16u /* 0.4 MB each */

/* Writes `nr` numbers of a column, from that number on. Called by several threads at once. */
typedef void html_numbers(const void *source, uint64_t from, size_t nr, uint64_t *ret);

struct html_element {
	char id[32];
	struct ts_bytes bytes; /* owned; or a plane: */
	html_numbers *numbers; /* NULL: no plane */
	const void *source;
	uint64_t nr;
	unsigned int plane;
	struct ts_bytes packed; /* owned */
	int code;		/* of zlib */
};

struct html_elements {
	struct memory *memory;
	struct html_element items[HTML_ELEMENTS_MOST];
	unsigned int nr;
};

/* Takes the bytes and leaves them empty. */
void html_elements_add(struct html_elements *e, const char *id, struct ts_bytes *bytes);
/*
 * A column of `nr` numbers, the highest being `most`: elements "id.0", "id.1" ... Returns the number of planes, 0
 * if all numbers are 0. The source must outlive the packing.
 */
unsigned int html_elements_add_column(struct html_elements *e, const char *id,
				      html_numbers *numbers, const void *source, uint64_t nr,
				      uint64_t most);
/*
 * Compresses what is not compressed. Returns 0; -ENOMEM with a sentence; -EINTR without one: it was stopped.
 */
int html_elements_pack(struct html_elements *e, const struct progress *progress,
		       unsigned int nr_workers, struct ts_error *err);
uint64_t html_elements_bytes(const struct html_elements *e); /* they are packed */
/* Errors are those of result_file_write(), and -EINTR. */
int html_elements_write(const struct html_elements *e, const struct progress *progress,
			struct result_file *to, struct ts_error *err);
/* Releases elements from this number on. */
void html_elements_cut(struct html_elements *e, unsigned int nr);
void html_elements_release(struct html_elements *e); /* accepts a zeroed one; idempotent */

#endif
