/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where long text leaves: whole lines, for as long as they are wanted.
 *
 * Into a pipe, a socket or a terminal, which may have to wait for somebody, it goes in pieces of at
 * most PIPE_BUF bytes that end with a line, so that a stop is obeyed between lines, also while
 * nobody takes them.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_READER_RUNTIME_LINE_OUTPUT_H
#define TS_READER_RUNTIME_LINE_OUTPUT_H

#include <stddef.h>

#include "reader/runtime/progress.h"

/* Writes text that ends with a line. 0 or -errno; -EINTR: the progress (NULL: none) was stopped. */
int line_output_write(int fd, const struct progress *p, const void *text, size_t len);

#endif
