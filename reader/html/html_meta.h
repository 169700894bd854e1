/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of the page, as JSON: captures, events, threads, losses, colours, and how to read the columns.
 * docs/page.md names all members.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_HTML_HTML_META_H
#define TS_READER_HTML_HTML_META_H

#include "reader/html/html_data.h"
#include "reader/html/html_source.h"

/*
 * Appends it. No '<' is in it, so that it can stand in a script element. warnings: lines; "": none.
 */
void html_meta_put(const struct html_source *s, const struct html_data *d, const char *warnings,
		   struct ts_bytes *out);

#endif
