/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page: one HTML file that asks for nothing else, and whose script is the only one that may run.
 *
 *	head: policy with the hashes of style and script, title, style
 *	body: markup (body.html), a still picture for browsers without script, facts (JSON), data, script
 *
 * Names come from captures. They stand in the JSON and the data, and escaped in the title and the still
 * picture; the markup has none.
 *
 * Threads: main thread only; uses several.
 */
#ifndef TS_READER_HTML_HTML_PAGE_H
#define TS_READER_HTML_HTML_PAGE_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/html/html_source.h"

struct html_summary {		 /* of a page that was written */
	uint64_t bytes, step_ns; /* 0: each sample is a row */
};

/*
 * -EFBIG: it would be larger than most_bytes, however long the steps of time; -EPIPE, and *err is not set: the
 * reader of standard output went away; -EINTR, the same: it was stopped.
 */
int html_page_write(const struct html_source *s, struct result_file *to, struct html_summary *ret,
		    struct ts_error *err);

#endif
