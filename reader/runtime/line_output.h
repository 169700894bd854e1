/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes long text: whole lines, until the command is stopped.
 *
 * A pipe, a socket or a terminal may block the writer. Such descriptors get the text in pieces of
 * at most PIPE_BUF bytes that end with a line. So a stop takes effect between two lines, even if
 * nobody reads the text.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_READER_RUNTIME_LINE_OUTPUT_H
#define TS_READER_RUNTIME_LINE_OUTPUT_H

#include <stddef.h>

#include "reader/runtime/progress.h"

/*
 * Writes text that ends with a line. 0 or -errno; -EINTR: the progress was stopped. `p` may be
 * NULL: then nothing stops the writing.
 */
int line_output_write(int fd, const struct progress *p, const void *text, size_t len);

#endif
