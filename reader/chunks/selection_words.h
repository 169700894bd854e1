/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that --comm, --dso, --symbol and --stop-bt give: separated by commas, and as perf has
 * it, file://FILE stands for a file with one name a line. A name of a file may have commas.
 *
 * Threads: immutable once read.
 */
#ifndef TS_READER_CHUNKS_SELECTION_WORDS_H
#define TS_READER_CHUNKS_SELECTION_WORDS_H

#include <stddef.h>

#include "common/base/bytes.h"
#include "common/base/error.h"

struct selection_words {
	struct ts_bytes text; /* the names, each with its NUL */
	const char **items;   /* owned; they lie in `text`; NULL behind the last */
	size_t nr;	      /* 0: all */
};

/*
 * Reads a list of the command line (NULL: no names) into a zeroed *w; `what` is the word for the
 * names in a sentence. A list without any name is an error, -EINVAL; -errno if a file cannot be
 * read. The caller releases *w, even after failure.
 *
 * A pipe can be read only once, and its writer is waited for without a deadline. So call this once
 * for each list of the command line, while ^C still ends the process.
 */
int selection_words_read(struct selection_words *w, const char *list, const char *what,
			 struct ts_error *err);
void selection_words_release(struct selection_words *w); /* accepts a zeroed one; idempotent */

#endif
