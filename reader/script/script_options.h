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
	struct script_style style; /* fields of -F; not yet checked against the capture */
	bool hide_chains;
	unsigned int max_stack;
	enum unwind_way unwind; /* of dumped stacks */
	struct symbol_places places;
	bool with_inlined;		/* inlined functions are frames of call chains */
	struct selection_words stop_at; /* --stop-bt */
	bool with_ns, is_latency;
	enum script_time time;
	uint64_t shown_records; /* records besides samples: bit n = kernel record type n */
	bool dump, header, header_only;
};

/* Sets the defaults; cmd_script_line (cmd_script.h) reads the command line. */
void script_options_init(struct script_options *options);
void script_options_release(struct script_options *options); /* idempotent */

#endif
