/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command says on stderr of a capture that has no samples to show.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_NO_SAMPLES_H
#define TS_READER_TRUST_PRINT_NO_SAMPLES_H

#include "reader/chunks/chunk_table.h"
#include "reader/chunks/selection.h"

/*
 * Warns that nothing of what was selected is there, and tells what is; nothing of a capture that is
 * being recorded and was read without a selection. `more`: what else is known of it
 * (explain_no_match.h); "".
 */
void print_no_samples(const struct chunk_table *t, const struct selection_text *selected,
		      const char *more);

#endif
