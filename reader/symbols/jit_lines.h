/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of the code in a jitdump file. A line holds from its address to the next one of the
 * function.
 *
 * Threads: one thread loads it; then any number of threads may ask. Results live as long as the
 * struct.
 */
#ifndef TS_READER_SYMBOLS_JIT_LINES_H
#define TS_READER_SYMBOLS_JIT_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "reader/objects/harmless.h"
#include "reader/objects/srcline.h"

struct jit_lines;

/* Reads the lines of a file that jitdump_find() found. NULL: it cannot be read, or has no lines. */
struct jit_lines *jit_lines_open(const char *path, const struct harmless *how, int *fault);
void jit_lines_close(struct jit_lines *l); /* accepts NULL */

/* NULL: nothing is known of this file offset. */
const struct srcline_place *jit_lines_find(const struct jit_lines *l, uint64_t offset);

#endif
