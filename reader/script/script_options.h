/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of `tstream script`.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_SCRIPT_SCRIPT_OPTIONS_H
#define TS_READER_SCRIPT_SCRIPT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/chunks/selection.h"
#include "reader/objects/symbol_places.h"
#include "reader/samples/unwind.h"
#include "reader/script/print_script.h"

struct script_options {
	const char *input; /* NULL: the default capture */
	bool verbose, quiet, follow;
	uint64_t mem_limit; /* bytes */
	struct selection_text selection;
	struct script_style style; /* as -F says; still to be checked against the capture */
	bool hide_chains;
	unsigned int max_stack;
	enum unwind_way unwind; /* of dumped stacks */
	struct symbol_places places;
	bool with_inlined; /* functions are frames of call chains */
	char **stop_at;	   /* --stop-bt: owned, ends with NULL; NULL: none */
	bool with_ns, is_latency;
	enum script_time time;
	uint64_t shown_records; /* beside samples: bit n = kernel record type n */
	bool dump, header, header_only;
};

extern const char script_help[]; /* what --help prints; fits a screen */

/*
 * Reads the command line. 0, or an exit status; wrong options end the process with status 2, --help
 * with 0.
 */
int script_options_read(struct script_options *options, int argc, char **argv);
void script_options_release(struct script_options *options); /* idempotent */

#endif
