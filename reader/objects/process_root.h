/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system as a living process sees it, where that is not what we see: one in a container.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_OBJECTS_PROCESS_ROOT_H
#define TS_READER_OBJECTS_PROCESS_ROOT_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESS_ROOT_BYTES 32

/* Writes "/proc/PID/root"; false: it does not live, or sees what we see. */
bool process_root(uint32_t pid, char ret[PROCESS_ROOT_BYTES]);

#endif
