/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of source lines, for reports that have rows by line.
 *
 * Threads: any number of threads may ask at once.
 */
#ifndef TS_READER_SYMBOLS_LINE_NAMES_H
#define TS_READER_SYMBOLS_LINE_NAMES_H

#include <pthread.h>
#include <stdbool.h>

#include "reader/objects/srcline.h"
#include "reader/runtime/name_table.h"
#include "reader/symbols/symbol.h"

enum line_kind {
	LINE_NONE,
	LINE_SOURCE, /* "file.c:12"; if unknown: "function+34" or "object[1f0]" */
	LINE_FILE,   /* "file.c"; if unknown: "" */
};

struct line_names {
	pthread_mutex_t lock;
	struct name_table texts;
	bool lacks_memory; /* a name is missing */
	bool with_paths;   /* source files have their path, not only the name */
};

void line_names_init(struct line_names *n);
void line_names_release(struct line_names *n);

/*
 * The name of the line of `frame`, which is one of symbols_lines(at), or NULL if no line is known.
 * It lives as long as *n; equal pointers mean equal names. NULL: out of memory.
 */
const char *line_names_find(struct line_names *n, const struct location *at,
			    const struct srcline_frame *frame, enum line_kind kind);

#endif
