/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that select a part of a capture. All commands that read captures have the same.
 *
 * Threads: constant; main thread.
 */
#ifndef TS_READER_CHUNKS_SELECTION_OPTIONS_H
#define TS_READER_CHUNKS_SELECTION_OPTIONS_H

#include "common/options/option.h"
#include "reader/chunks/selection.h"

/*
 * The fields are those of struct selection_text. When all options are read, the command calls
 * selection_settle().
 */
extern const struct ts_option selection_rows[];

/* -EINVAL if a dump is selected by object or function: records have no such place. */
int selection_check_dump(const struct selection_text *text, struct ts_error *err);

#endif
