/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture that comes through standard input, `perf record -o - | tstream report -i -`: it is copied
 * to a file without a name until its end, and that is mapped as any other. Behind it nobody knows the
 * difference.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_CAPTURE_PIPED_H
#define TS_READER_CAPTURE_PIPED_H

#include "reader/capture/map.h"

#define PIPED_PATH "-"

/* Waits for all of it; a regular file is mapped where it is. A terminal is refused. -errno. */
int piped_open(struct map *m, struct ts_error *err);

#endif
