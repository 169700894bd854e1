/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that say where symbols and lines are read from, the same for report and script.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_OBJECTS_SYMBOL_PLACE_OPTIONS_H
#define TS_READER_OBJECTS_SYMBOL_PLACE_OPTIONS_H

#include <argp.h>

#include "reader/objects/symbol_places.h"

/*
 * To stand among a command's children; its input (state->child_inputs) is a struct symbol_places, which
 * it fills. What is wrong ends the process as any wrong option does.
 */
extern const struct argp symbol_place_argp;

#endif
