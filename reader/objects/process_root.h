/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system as a living process in a container sees it, if it differs from ours.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_OBJECTS_PROCESS_ROOT_H
#define TS_READER_OBJECTS_PROCESS_ROOT_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESS_ROOT_BYTES 32

/*
 * Writes "/proc/PID/root". False: the process does not live, or sees the same file system as we do.
 */
bool process_root(uint32_t pid, char ret[PROCESS_ROOT_BYTES]);

#endif
