/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Style, markup and script of the page: files of this room (page_files in local.mk), as bytes. The build makes
 * page_files.made.c of them.
 *
 * The page allows exactly these by their hashes (page_hashes.tsv; `make page-hashes`).
 *
 * Threads: constant.
 */
#ifndef TS_READER_HTML_PAGE_FILES_H
#define TS_READER_HTML_PAGE_FILES_H

#include <stddef.h>
#include <stdint.h>

enum page_part { PAGE_STYLE, PAGE_MARKUP, PAGE_SCRIPT };

struct page_file {
	enum page_part part; /* by its suffix: .css, .html, .js */
	const uint8_t *bytes;
	size_t len;
	const char *hash; /* "sha256-..." of the bytes */
};

/* In the order of the page; the last one has no bytes. */
extern const struct page_file page_files[];

#endif
