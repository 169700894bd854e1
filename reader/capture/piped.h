/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture that comes through standard input, `perf record -o - | tstream report -i -`. It is
 * copied to a file without a name until its end, and that file is mapped as any other. Later code
 * sees no difference.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_CAPTURE_PIPED_H
#define TS_READER_CAPTURE_PIPED_H

#include "reader/capture/map.h"

#define PIPED_PATH "-"

/*
 * Waits until all of it has come. A regular file is mapped directly. A terminal is refused. -errno.
 */
int piped_open(struct map *m, struct ts_error *err);

#endif
