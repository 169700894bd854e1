/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner of a capture directory while it is written. A recorder, or a command that makes a
 * capture, holds a lock (flock) on the directory from its making to its end, under any name. The
 * kernel drops the lock with the process, so a killed recorder holds nothing. On a filesystem
 * without flock nobody is refused.
 *
 * tstream.json has the process number and the start time of the recorder, so a refusal can name the
 * process; the lock alone decides.
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

/*
 * Does another process, or another descriptor of this process, hold the lock on this open
 * directory? True also if this process lacks the descriptors or the memory to find out: the caller may
 * remove what nobody holds.
 */
bool ts_recorder_holds(int dir_fd);
/*
 * The same for the directory at a path, as for openat(). False also if that cannot be opened for
 * another reason.
 */
bool ts_recorder_holds_at(int dir_fd, const char *path);
/*
 * 1: held; 0: not held, or no such directory; -errno: this process lacks what finding out takes. A
 * reader uses it to tell a growing capture from one whose recorder was killed.
 */
int ts_recorder_look(int dir_fd, const char *path);

/*
 * The start of a process, in clock ticks since boot (field 22 of /proc/PID/stat). Together with its
 * number it names one process until the next boot. 0: no such process, or /proc does not show it.
 */
uint64_t ts_recorder_start_ticks(pid_t pid);

/*
 * "process 123", if tstream.json in the directory names a process with this number and start time.
 * Otherwise "another process": the recorder may run in another container.
 */
const char *ts_recorder_name(char text[TS_RECORDER_TEXT], int dir_fd);

#endif
