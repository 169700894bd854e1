/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader does when memory that is a file cannot be had: a capture that somebody cut short, a disk
 * that cannot be read, a filesystem that has not kept the room it promised to a spilled block.
 *
 * The kernel answers such an access with SIGBUS, in the middle of whatever a thread is doing, so the
 * command does not go on: it says one sentence, which file it was, and ends with status 1 (decision
 * 134). What was written to stdout before stays. A file that would become larger than the process may
 * make it (SIGXFSZ) fails like any other write instead of ending the process.
 *
 * Threads: called by a command before it has threads; it holds for all that ts_thread_start() makes.
 */
#ifndef TS_READER_COMMANDS_SIGBUS_H
#define TS_READER_COMMANDS_SIGBUS_H

void sigbus_watch(void);

#endif
