/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains why a selection is empty: which of --comm, --dso, --symbol, --pid and --tid matches
 * nothing, a similar name that may be meant, or the names that exist.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_TRUST_EXPLAIN_NO_MATCH_H
#define TS_READER_TRUST_EXPLAIN_NO_MATCH_H

#include "reader/chunks/selection.h"
#include "reader/stacks/frame.h"
#include "reader/tasks/tasks.h"

#define EXPLAIN_NO_MATCH_BYTES 400

struct explain_no_match {
	const struct selection *selection;
	const struct tasks *tasks;
	const struct frames *frames; /* frames of samples; NULL: unknown */
};

/*
 * Writes for example ": no command is called 'bsh'; did you mean bash?", or "" if each option
 * matches something. Returns buf.
 */
const char *explain_no_match_text(const struct explain_no_match *m,
				  char buf[EXPLAIN_NO_MATCH_BYTES]);

#endif
