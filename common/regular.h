/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular files, opened without touching what is none: to open a FIFO takes data or wakes a writer, a watchdog device
 * reboots the machine, a path on autofs asks a daemon to mount something.
 *
 * What a name stands for is looked at through an O_PATH descriptor, which opens nothing; only a regular file on a filesystem that
 * keeps files (ts_regular_judge()) is then opened for reading, through /proc/self/fd, so that it is the one that was looked
 * at. Names in a directory are those that an untrusted one may hold: a capture, a folder of symbols. No link is followed
 * there, and nothing leads out of the directory. Paths that lead through links are harmless.h's part.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_COMMON_REGULAR_H
#define TS_COMMON_REGULAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Beside the errors of open(2), in their place where a file is refused: */
#define TS_REGULAR_OTHER EINVAL /* it is no regular file */
#define TS_REGULAR_LINK                                                                            \
	EMLINK /* it is, or leads through, a symbolic link, and none is followed there */
#define TS_REGULAR_KERNEL                                                                          \
	EOPNOTSUPP /* the kernel makes its content when it is read: proc, sysfs, debugfs ... */
#define TS_REGULAR_UNASKED EREMOTE /* the automounter would have to mount it */
#define TS_REGULAR_AUTOFS  0x0187  /* f_type of what the automounter serves */

/* The words behind "cannot open FILE: " for an error of these functions, in static memory. */
const char *ts_regular_reason(int code);

/* 0, or why such a file is not opened: st_mode of stat(2), f_type of statfs(2). -TS_REGULAR_... */
int ts_regular_judge(mode_t mode, uint64_t filesystem);
/* Does the kernel, or the automounter, make what is on it? 0 or -TS_REGULAR_KERNEL, -TS_REGULAR_UNASKED. */
int ts_regular_judge_filesystem(uint64_t filesystem);

/*
 * Looks at what a relative path names, beneath a directory; no component may be a link or "..". An O_PATH descriptor of it,
 * whatever it is, or -errno.
 */
int ts_regular_look(int dir_fd, const char *path);
/*
 * Opens for reading what an O_PATH descriptor stands for, if it is a regular file. -errno. Where no /proc is mounted it is
 * opened by its name in a directory, and refused (-ESTALE) if another file has that by now.
 */
int ts_regular_reopen(int path_fd, int dir_fd, const char *name);
/* The same, on whatever filesystem: of a file that the user named. */
int ts_regular_reopen_any(int path_fd, int dir_fd, const char *name);
/* ts_regular_look(), then ts_regular_reopen_any(): a file of a directory that the user named. */
int ts_regular_open(int dir_fd, const char *path);
/* The same of a path that the user named: links in its folders are followed, and not the last component. */
int ts_regular_open_path(int dir_fd, const char *path);

#endif
