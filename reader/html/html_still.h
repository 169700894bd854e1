/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the page for browsers that run no script: title, warnings, the functions with the most
 * samples of their own, and a still flame graph.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_HTML_HTML_STILL_H
#define TS_READER_HTML_HTML_STILL_H

#include "reader/html/html_source.h"
#include "reader/page/stack_tree.h"

/* Appends a noscript element. warnings: lines; "": none. `tree` is that of the source's paths. */
void html_still_put(const struct html_source *s, const struct stack_tree *tree,
		    const char *warnings, struct ts_bytes *out);

#endif
