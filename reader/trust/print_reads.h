/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With -v: how much of a capture had to be read.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_READS_H
#define TS_READER_TRUST_PRINT_READS_H

#include "reader/chunks/chunk_table.h"

/*
 * Prints how many chunks, and how many bytes of the streams, were read; prints nothing if they were
 * not counted.
 */
void print_reads(const struct chunk_table *t);

#endif
