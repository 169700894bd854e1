/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command lines of report and script have in common: what selects a part of a capture, where
 * symbols are read from, --mem-limit, the options of perf's that the command does not have, and how they are read.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_COMMANDS_COMMAND_LINE_H
#define TS_READER_COMMANDS_COMMAND_LINE_H

#include <argp.h>
#include <stdint.h>

#include "common/base/perf_options.h"
#include "reader/chunks/selection.h"
#include "reader/objects/symbol_places.h"

struct command_line {	  /* the input of the command's parser */
	const char *name; /* what its usage and argp's complaints begin with */
	void *options;	  /* the command's own, for its parser */
	struct selection_text *selection;
	struct symbol_places *places;
	uint64_t *mem_limit;		   /* bytes */
	struct ts_perf_options_input perf; /* command_line_read() fills it in */
};

/*
 * Reads the words by the command's own parser, whose children are set here, and which calls
 * command_line_begin() when it gets ARGP_KEY_INIT. perf: of the options that it does not have. 0,
 * or an exit status; wrong options end the process with status 2.
 */
int command_line_read(struct command_line *line, struct argp *own, struct ts_perf_options *perf,
		      int argc, char **argv);
void command_line_begin(struct argp_state *state);

#endif
