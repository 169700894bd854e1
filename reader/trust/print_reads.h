/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command says with -v of how much it had to read.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_READS_H
#define TS_READER_TRUST_PRINT_READS_H

#include "reader/chunks/chunk_table.h"

/* How many of the chunks, and of the bytes of the streams; nothing where nobody counted. */
void print_reads(const struct chunk_table *t);

#endif
