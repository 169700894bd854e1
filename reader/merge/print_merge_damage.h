/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings on stderr about damaged data that a merge has left out.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_MERGE_PRINT_MERGE_DAMAGE_H
#define TS_READER_MERGE_PRINT_MERGE_DAMAGE_H

#include <stdbool.h>

#include "reader/merge/merge.h"

/*
 * Call it after the work, with its result rc and err. Warns, part by part, of data that was left
 * out and that no other part has, and reports the failure. Returns the exit status.
 */
int print_merge_damage(struct merge *m, int rc, const struct ts_error *err);
/*
 * For a single file, which has no tstream.json: warns of each part that was made of a damaged
 * capture. Returns whether there is one.
 */
bool print_earlier_damage(const struct merge *m);

#endif
