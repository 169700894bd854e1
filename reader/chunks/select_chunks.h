/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the chunk table of the part of a capture that the command line selects.
 *
 * Threads: main thread only; chunk_table_open() uses several.
 */
#ifndef TS_READER_CHUNKS_SELECT_CHUNKS_H
#define TS_READER_CHUNKS_SELECT_CHUNKS_H

#include "reader/chunks/chunk_table.h"
#include "reader/chunks/selection.h"

/*
 * Opens *s and its table. The caller closes both, also after a failure.
 *
 * Shares of time need the times of the first and the last sample. The header has them, or else the
 * chunks do.
 *
 * If the capture is being recorded, the records that all streams hold are selected, and s->until_ns
 * is the time up to which that is so. Exception: with CHUNK_TABLE_COUNTS and an empty selection all
 * records that are there.
 *
 * Flags as for chunk_table_open().
 */
int select_chunks(struct chunk_table *t, struct selection *s, const struct selection_text *text,
		  const struct capture *c, unsigned int nr_workers, unsigned int flags,
		  struct ts_error *err);

#endif
