/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What chunk_load() (declared in chunk_table.h) counts, for who makes the table and reads, too.
 *
 * Threads: any thread may call any of these at the same time.
 */
#ifndef TS_READER_CHUNK_LOAD_H
#define TS_READER_CHUNK_LOAD_H

#include "reader/chunk_table.h"

/* Bytes of the streams that were looked at. */
void chunk_note_read(const struct chunk_table *t, uint64_t bytes);
/* Bytes that were mapped into this process by looking at them; gives all back now and then. */
void chunk_note_mapped(const struct chunk_table *t, uint64_t bytes);

#endif
