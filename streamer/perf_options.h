/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf record's options that this recorder does not have: what its writers always do is accepted
 * with a note, everything else is refused in a sentence that says what to do instead. A user of perf
 * never meets getopt's "unrecognized option".
 *
 * It is a child of record_options' parser (argp(3), "Combining Multiple Argp Parsers"), so that the
 * two tables together are one command line.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_STREAMER_PERF_OPTIONS_H
#define TS_STREAMER_PERF_OPTIONS_H

#include <argp.h>

#include "common/error.h"
#include "common/notes.h"

#define PERF_OPTIONS_MAX 48

/* The parser's input: state->child_inputs[] of the parent is to point to one. */
struct perf_options_input {
	struct ts_notes *notes;
	struct ts_error *err; /* its code is 0 where nothing was refused */
};

struct perf_options { /* what argp wants to see while it parses */
	struct argp_option options[PERF_OPTIONS_MAX + 1];
	struct argp argp;
	struct argp_child children[2]; /* for the parent's argp */
};

/* Fills it in; it must outlive the parsing. */
void perf_options_init(struct perf_options *p);

#endif
