/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf's options that a command does not have: what is always met is accepted with a note, everything
 * else is refused in a sentence that says what to do instead. A user of perf never meets getopt's
 * "unrecognized option".
 *
 * A command has a table of them, which becomes a child of its parser (argp(3), "Combining Multiple
 * Argp Parsers"), so that both are one command line.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_COMMON_BASE_PERF_OPTIONS_H
#define TS_COMMON_BASE_PERF_OPTIONS_H

#include <argp.h>

#include "common/base/error.h"
#include "common/base/notes.h"

#define TS_PERF_OPTIONS_MAX 64

enum ts_perf_value { TS_NO_VALUE, TS_ANY_VALUE, TS_MAYBE_VALUE, TS_NUMBER, TS_SIZE };

enum ts_perf_fate {
	TS_CHANGES_NOTHING, /* its purpose is always met: a note */
	TS_NOT_HERE,	    /* refused */
};

struct ts_perf_option {
	const char *name;
	char letter; /* 0: none */
	enum ts_perf_value value;
	enum ts_perf_fate fate;
	const char *why;     /* behind the ':' of the sentence or note; NULL: not worth a note */
	const char *instead; /* the hint; NULL: none */
};

struct ts_perf_options { /* what argp wants to see while it parses */
	const struct ts_perf_option *table;
	size_t nr;
	struct argp_option options[TS_PERF_OPTIONS_MAX + 1];
	struct argp argp;
	struct argp_child children[2]; /* for the parent's argp, or to be copied there */
};

/* The parser's input: state->child_inputs[] of the parent is to point to one. */
struct ts_perf_options_input {
	const struct ts_perf_options *options;
	struct ts_notes *notes;
	struct ts_error *err; /* its code is 0 where nothing was refused */
};

/* Fills it in; it and the table (at most TS_PERF_OPTIONS_MAX) must outlive the parsing. */
void ts_perf_options_init(struct ts_perf_options *p, const struct ts_perf_option *table, size_t nr);

/* What it came to: the refusal, or a note each. Releases the notes; returns the exit status. */
int ts_perf_options_settle(struct ts_notes *notes, const struct ts_error *err);

#endif
