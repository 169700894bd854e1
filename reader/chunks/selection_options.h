/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that select a part of a capture, the same for every command that reads one.
 *
 * Threads: constant; main thread.
 */
#ifndef TS_READER_CHUNKS_SELECTION_OPTIONS_H
#define TS_READER_CHUNKS_SELECTION_OPTIONS_H

#include "common/options/option.h"
#include "reader/chunks/selection.h"

/* For a struct selection_text; when all is read, the command asks selection_check(). */
extern const struct ts_option selection_rows[];

/* Records have no place: -EINVAL for a dump that is to be selected by one. */
int selection_check_dump(const struct selection_text *text, struct ts_error *err);

#endif
