/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular files, opened without touching what is none: to open a FIFO takes data or wakes a writer, a watchdog device
 * reboots the machine, a path on autofs asks a daemon to mount something.
 *
 * What a name stands for is looked at through an O_PATH descriptor, which opens nothing. Only a regular file is then opened for
 * reading, through /proc/self/fd, so that it is the one that was looked at. ts_regular_reopen() also refuses filesystems whose
 * files the kernel makes; the others accept any filesystem, because the user named the directory. In a directory that may hold
 * anything (a capture, a folder of symbols) no link is followed, and no name leads out of it. Paths that lead through links are
 * harmless.h's part.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_COMMON_BASE_REGULAR_H
#define TS_COMMON_BASE_REGULAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Why a file is refused; other errors are those of open(2). */
#define TS_REGULAR_OTHER EINVAL /* it is no regular file */
#define TS_REGULAR_LINK                                                                            \
	EMLINK /* it is, or leads through, a symbolic link, and none is followed there */
#define TS_REGULAR_KERNEL                                                                          \
	EOPNOTSUPP /* the kernel makes its content when it is read: proc, sysfs, debugfs ... */
#define TS_REGULAR_UNASKED EREMOTE /* the automounter would have to mount it */

#define TS_REGULAR_AUTOFS 0x0187 /* no error: f_type of what the automounter serves */

/* The words behind "cannot open FILE: " for an error of these functions, in static memory. */
const char *ts_regular_reason(int code);

/* 0, or why such a file is not opened: st_mode of stat(2), f_type of statfs(2). -TS_REGULAR_... */
int ts_regular_judge(mode_t mode, uint64_t filesystem);
/* Does the kernel, or the automounter, make what is on it? 0 or -TS_REGULAR_KERNEL, -TS_REGULAR_UNASKED. */
int ts_regular_judge_filesystem(uint64_t filesystem);

/*
 * Opens for reading what an O_PATH descriptor stands for, if it is a regular file. -errno. Where no /proc is mounted it is
 * opened by its name in a directory; a file that took that name meanwhile is opened, and refused (-ESTALE).
 */
int ts_regular_reopen(int path_fd, int dir_fd, const char *name);
/* The same, on whatever filesystem: of a file that the user named. */
int ts_regular_reopen_any(int path_fd, int dir_fd, const char *name);
/*
 * The same of a relative path beneath a directory that the user named; no component may be a link or "..".
 */
int ts_regular_open(int dir_fd, const char *path);
/* The same of a path that the user named: links in its folders are followed, and not the last component. */
int ts_regular_open_path(int dir_fd, const char *path);

#endif
