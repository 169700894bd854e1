/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking into a chunk while the table is built: what only its records tell.
 *
 * Threads: any number at the same time, each with counts and a buffer of its own.
 */
#ifndef TS_READER_CHUNKS_CHUNK_CONTENTS_H
#define TS_READER_CHUNKS_CHUNK_CONTENTS_H

#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_scan.h"

/*
 * Fills in kinds, times and the number of records of a range of others', and adds to *counts. A chunk
 * of ours tells them by itself, and is read only where all records are counted, or where its recorder
 * did not mend its side-band: then its times become those of its records. 0, RANGE_SCAN_DAMAGE with
 * *ret_damage, or -ENOMEM.
 */
int chunk_look(const struct chunk_table *t, const struct range_scan_layout *layout,
	       struct chunk *chunk, struct chunk_counts *counts, struct chunk_buffer *buf,
	       struct chunk_damage *ret_damage);

#endif
