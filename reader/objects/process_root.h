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
 * The number below /proc that shows the files of a process: its own, or that of another thread if the
 * first one has ended. It is `pid` as well if there is none.
 */
uint32_t process_root_thread(uint32_t pid);
/*
 * Writes "/proc/PID/root", with that number. False: the process does not live, or sees the same file system as we do.
 */
bool process_root(uint32_t pid, char ret[PROCESS_ROOT_BYTES]);

#endif
