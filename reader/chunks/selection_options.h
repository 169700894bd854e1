/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that select a part of a capture, the same for every command that reads one.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_CHUNKS_SELECTION_OPTIONS_H
#define TS_READER_CHUNKS_SELECTION_OPTIONS_H

#include <argp.h>

#include "reader/chunks/selection.h"

/*
 * To stand among a command's children; its input (state->child_inputs) is a struct selection_text,
 * which it fills. What is wrong ends the process as any wrong option does.
 */
extern const struct argp selection_argp;

/* Records have no place: a dump that is to be selected by one ends the process in the same way. */
void selection_check_dump(const struct selection_text *text, struct argp_state *state);

#endif
