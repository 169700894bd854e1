/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a capture directory is while it is written: a recorder, or a command that makes a capture, holds
 * a lock (flock) on it from its making to its end, whatever it is called meanwhile. The kernel drops the
 * lock with the process, so a killed recorder holds nothing. A filesystem without flock refuses nobody.
 *
 * tstream.json names the recorder by process and start time, so that a refusal can tell which process
 * it is; the lock alone decides.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_COMMON_DIRECTORY_RECORDER_H
#define TS_COMMON_DIRECTORY_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TS_RECORDER_KEY	  "recorder" /* in tstream.json: an object with these two */
#define TS_RECORDER_PID	  "pid"
#define TS_RECORDER_START "start_ticks"

#define TS_RECORDER_TEXT 48 /* of ts_recorder_name() */

/* Does another process, or another descriptor of ours, hold the lock on this open directory? */
bool ts_recorder_holds(int dir_fd);
/*
 * The same of the directory at a path, as for openat(). False also where that cannot be found out. So a
 * reader knows a capture that grows from one whose recorder was killed.
 */
bool ts_recorder_holds_at(int dir_fd, const char *path);

/*
 * When a process started, in clock ticks since boot (field 22 of /proc/PID/stat): with its number it
 * names one process until the next boot. 0: there is none, or /proc does not tell.
 */
uint64_t ts_recorder_start_ticks(pid_t pid);

/*
 * "process 123", by what tstream.json in the directory says, where a process of this number started
 * then; else "another process": the recorder may be one of another container.
 */
const char *ts_recorder_name(char text[TS_RECORDER_TEXT], int dir_fd);

#endif
