/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path that a capture names, opened so that nothing happens but that a file is read.
 *
 * Whoever wrote a capture chose its paths: objects, debug files, maps of JIT compilers. The path is walked component by component
 * with O_PATH, which opens nothing; links are resolved here, as the kernel would (40 at most; those in folders that are
 * sticky and writable for all only if they are of the folder's owner or of this user). What is reached is opened if it is a regular file on a filesystem that keeps files
 * (common/base/regular.h): no FIFO or device, nothing below /proc or /sys. A file of the capture itself (HARMLESS_NO_LINKS) may lie on
 * any filesystem. A folder that the automounter serves is entered where it is mounted already: nothing is asked to mount it.
 *
 * The beginning of a path that tstream or its user chose (--symfs, the capture itself, /proc/PID/root of a process that was
 * recorded) is opened as it says.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_READER_OBJECTS_HARMLESS_H
#define TS_READER_OBJECTS_HARMLESS_H

#include <stddef.h>
#include <stdint.h>

enum harmless_links {
	HARMLESS_LINKS,	      /* are followed */
	HARMLESS_NO_LINK_END, /* but not in the last component */
	HARMLESS_NO_LINKS, /* none is, and nothing leads out of the beginning: what lies in a capture */
};

/* How a path is opened. */
struct harmless {
	size_t own; /* so many of its first bytes no capture chose; SIZE_MAX: all of it */
	enum harmless_links links;
};

/* Of a path that the user or tstream chose: a regular file on any filesystem. */
#define HARMLESS_OWN                                                                               \
	(&(const struct harmless){                                                                 \
		.own = SIZE_MAX,                                                                   \
	})

/* Opens it for reading. -errno, or -TS_REGULAR_...; ts_regular_reason() has the words. */
int harmless_open(const char *path, const struct harmless *how);
/*
 * How a path below a folder that was chosen by the user or tstream is opened. Where folder is NULL, or the path is not below it,
 * no part of it is trusted.
 */
struct harmless harmless_below(const char *folder, const char *path);
/* How a path in the folder of symbols of a capture is opened. archive: "CAPTURE/symbols"; CAPTURE is trusted. */
struct harmless harmless_archived(const char *archive);

#endif
