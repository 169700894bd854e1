/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that say where symbols and lines are read from, the same for all commands that look for
 * them.
 *
 * Threads: constant.
 */
#ifndef TS_READER_OBJECTS_SYMBOL_PLACE_OPTIONS_H
#define TS_READER_OBJECTS_SYMBOL_PLACE_OPTIONS_H

#include "common/options/option.h"
#include "reader/objects/symbol_places.h"

/* For a struct symbol_places: where files of modules are; the same, and where the kernel's symbols are. */
extern const struct ts_option symbol_file_rows[];
extern const struct ts_option symbol_place_rows[];

#endif
