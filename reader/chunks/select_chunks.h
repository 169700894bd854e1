/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what the command line selects to the chunk table that holds it.
 *
 * Threads: main thread only; chunk_table_open() uses several.
 */
#ifndef TS_READER_CHUNKS_SELECT_CHUNKS_H
#define TS_READER_CHUNKS_SELECT_CHUNKS_H

#include "reader/chunks/chunk_table.h"
#include "reader/chunks/selection.h"

/*
 * Of a capture that is being recorded what all streams hold is selected, and s->until_ns says up to
 * when that is; with CHUNK_TABLE_COUNTS and nothing selected, all that is there.
 *
 * Opens *s and the table of it, both the caller's to close, also after a failure. When samples
 * begin and end, which shares of time need, the header says or else the chunks. Flags as for
 * chunk_table_open().
 */
int select_chunks(struct chunk_table *t, struct selection *s, const struct selection_text *text,
		  const struct capture *c, unsigned int nr_workers, unsigned int flags,
		  struct ts_error *err);

#endif
