/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens regular files without touching any other kind of file. Opening a FIFO takes data or wakes a
 * writer, a watchdog device reboots the machine, a path on autofs asks a daemon to mount something.
 *
 * The name is first opened as an O_PATH descriptor, which does not open the file itself. Only a
 * regular file is then opened for reading, through /proc/self/fd: this is the same file that the
 * descriptor stands for. ts_regular_reopen() also refuses filesystems whose files the kernel makes.
 * The other functions accept any filesystem, because the user named the directory. A capture or a
 * folder of symbols may hold anything: there no link is followed, and no name leads out of the
 * directory. harmless.h opens paths that lead through links.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_COMMON_BASE_REGULAR_H
#define TS_COMMON_BASE_REGULAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Reasons to refuse a file; other errors are those of open(2). */
#define TS_REGULAR_OTHER EINVAL /* no regular file */
#define TS_REGULAR_LINK                                                                            \
	EMLINK /* a symbolic link, or a path through a symbolic link, where no link is followed */
#define TS_REGULAR_KERNEL                                                                          \
	EOPNOTSUPP /* the kernel makes the content when a file is read: proc, sysfs, debugfs ... */
#define TS_REGULAR_UNASKED EREMOTE /* the automounter would have to mount it */

#define TS_REGULAR_AUTOFS 0x0187 /* not an error: f_type of a path of the automounter */

/* The words behind "cannot open FILE: " for an error of these functions; static memory. */
const char *ts_regular_reason(int code);

/*
 * Judges a file by st_mode of stat(2) and f_type of statfs(2): 0, or -TS_REGULAR_... as the reason
 * to refuse it.
 */
int ts_regular_judge(mode_t mode, uint64_t filesystem);
/*
 * Does the kernel, or the automounter, make the files of this filesystem? 0 or -TS_REGULAR_KERNEL,
 * -TS_REGULAR_UNASKED.
 */
int ts_regular_judge_filesystem(uint64_t filesystem);

/*
 * Opens the file of an O_PATH descriptor for reading, if it is a regular file. -errno. Without
 * /proc it is opened by its name in a directory; a file that took this name meanwhile is opened,
 * and refused (-ESTALE).
 */
int ts_regular_reopen(int path_fd, int dir_fd, const char *name);
/* The same on any filesystem, for a file that the user named. */
int ts_regular_reopen_any(int path_fd, int dir_fd, const char *name);
/*
 * The same for a relative path beneath a directory that the user named; no component may be a link
 * or "..".
 */
int ts_regular_open(int dir_fd, const char *path);
/*
 * The same for a path that the user named: links in its folders are followed, a link as the last
 * component is not.
 */
int ts_regular_open_path(int dir_fd, const char *path);

#endif
