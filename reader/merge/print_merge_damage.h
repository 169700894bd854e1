/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command that merges says on stderr of what was left out because it is damaged.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_MERGE_PRINT_MERGE_DAMAGE_H
#define TS_READER_MERGE_PRINT_MERGE_DAMAGE_H

#include "reader/merge/merge.h"

/*
 * Behind the work, of which rc and err tell how it went: warns of what was left out that is not there
 * twice, part by part, and of why it failed. Returns the exit status.
 */
int print_merge_damage(struct merge *m, int rc, const struct ts_error *err);

#endif
