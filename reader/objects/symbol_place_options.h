/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options for the places of symbols and source lines. All commands that need them have the
 * same.
 *
 * Threads: constant.
 */
#ifndef TS_READER_OBJECTS_SYMBOL_PLACE_OPTIONS_H
#define TS_READER_OBJECTS_SYMBOL_PLACE_OPTIONS_H

#include "common/options/option.h"
#include "reader/objects/symbol_places.h"

/*
 * The fields are those of struct symbol_places. The first table has the places of modules' files,
 * the second also those of the kernel's symbols.
 */
extern const struct ts_option symbol_file_rows[];
extern const struct ts_option symbol_place_rows[];

#endif
