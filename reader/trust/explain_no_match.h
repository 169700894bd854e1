/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why nothing is left of a capture: which of --comm, --dso, --symbol, --pid and --tid matches nothing
 * in it, what was meant perhaps, and what there is.
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
	const struct ts_tasks *tasks;
	const struct frames *frames; /* of samples; NULL: they are not known */
};

/*
 * ": no command is called 'bsh'; did you mean bash?"; "" where each of them matches something. Returns
 * buf.
 */
const char *explain_no_match_text(const struct explain_no_match *m,
				  char buf[EXPLAIN_NO_MATCH_BYTES]);

#endif
