/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The warning on stderr about a capture that has no samples to show.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_TRUST_PRINT_NO_SAMPLES_H
#define TS_READER_TRUST_PRINT_NO_SAMPLES_H

#include "reader/chunks/chunk_table.h"
#include "reader/chunks/selection.h"

/*
 * Warns that the capture has no selected samples, and names the times or CPUs that it has. Prints
 * nothing if the capture is being recorded and was read without a selection. `more` is the text of
 * explain_no_match.h, or "".
 */
void print_no_samples(const struct chunk_table *t, const struct selection_text *selected,
		      const char *more);

#endif
