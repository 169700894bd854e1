/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the records of a chunk while the table is built, for facts that only records have.
 *
 * Threads: any number at the same time, each with its own counts and buffer.
 */
#ifndef TS_READER_CHUNKS_CHUNK_CONTENTS_H
#define TS_READER_CHUNKS_CHUNK_CONTENTS_H

#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_read.h"
#include "reader/chunks/range_scan.h"

/*
 * Fills in kinds, times and the number of records of a range of others, and adds to *counts.
 *
 * The header of a chunk of ours has these facts. Its records are read in two cases only: if all
 * records are counted, or if its recorder did not mend its side-band. In the second case its times
 * become those of its records.
 *
 * 0, RANGE_SCAN_DAMAGE with *ret_damage, or -ENOMEM.
 */
int chunk_contents_read(const struct chunk_table *t, const struct range_layout *layout,
			struct chunk *chunk, struct chunk_counts *counts, struct chunk_buffer *buf,
			struct chunk_damage *ret_damage);

#endif
