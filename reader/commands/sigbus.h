/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends a reader with a sentence when the page of a mapped file cannot be read or written. Causes
 * are a capture that was truncated, a disk that cannot be read, or a filesystem that has no room
 * for a spilled block although it promised it.
 *
 * The kernel answers such an access with SIGBUS, wherever the thread is, so the command cannot go
 * on. It prints one sentence that names the file and exits with status 1 (decision 134). Earlier
 * output on stdout stays. A write beyond the file size limit of the process (SIGXFSZ) fails like
 * any other write instead of ending the process.
 *
 * Threads: a command calls it before it has threads. It covers all threads of ts_thread_start().
 */
#ifndef TS_READER_COMMANDS_SIGBUS_H
#define TS_READER_COMMANDS_SIGBUS_H

void sigbus_watch(void);

#endif
