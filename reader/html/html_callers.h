/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sentence about callers that nobody can name. Programs without frame pointers have callers at addresses where
 * nothing is mapped: what the kernel takes for return addresses are other numbers on the stack.
 *
 * Threads: reads immutable data.
 */
#ifndef TS_READER_HTML_HTML_CALLERS_H
#define TS_READER_HTML_HTML_CALLERS_H

#include "common/base/bytes.h"
#include "reader/html/html_source.h"

/*
 * Appends a line if most samples that have callers in user space have such a caller, and these are no few samples of
 * the source's event. The event must have been recorded by frame pointer.
 */
void html_callers_put(const struct html_source *s, struct ts_bytes *out);

#endif
