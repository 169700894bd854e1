/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command that merges says on stderr of what was left out because it is damaged.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_MERGE_PRINT_MERGE_DAMAGE_H
#define TS_READER_MERGE_PRINT_MERGE_DAMAGE_H

#include <stdbool.h>

#include "reader/merge/merge.h"

/* Was anything left out that is not there twice? Warns of it, part by part. */
bool print_merge_damage(struct merge *m);

#endif
