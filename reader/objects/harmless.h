/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a path that a capture names. Reading the file is the only effect.
 *
 * The author of a capture chose its paths: objects, debug files, maps of JIT compilers.
 * harmless_open() walks a path component by component with O_PATH, which opens nothing.
 *
 * Links are resolved here, as the kernel would do: 40 at most. In a folder that is sticky and
 * writable for all, a link must belong to the owner of the folder or to this user.
 *
 * The file at the end is opened only if it is a regular file on a filesystem that keeps files
 * (common/base/regular.h). So no FIFO or device is opened, and nothing below /proc or /sys. A file
 * of the capture itself (HARMLESS_NO_LINKS) may lie on any filesystem. A folder of the automounter
 * is entered only if it is mounted already: no mount is requested.
 *
 * tstream or its user may have chosen the beginning of a path: --symfs, the capture itself,
 * /proc/PID/root of a recorded process. This beginning is opened as it is.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_READER_OBJECTS_HARMLESS_H
#define TS_READER_OBJECTS_HARMLESS_H

#include <stddef.h>
#include <stdint.h>

enum harmless_links {
	HARMLESS_LINKS,	      /* links are followed */
	HARMLESS_NO_LINK_END, /* links are followed, but not in the last component */
	/* no link is followed, and the path cannot leave its beginning: for files in a capture */
	HARMLESS_NO_LINKS,
	/* the path is a link of the kernel's to a file; of that file nothing is trusted */
	HARMLESS_MAPPED,
};

/* How to open a path. */
struct harmless {
	size_t own; /* no capture chose so many of its first bytes; SIZE_MAX: all of it */
	enum harmless_links links;
};

/* For a path that the user or tstream chose: a regular file on any filesystem. */
#define HARMLESS_OWN                                                                               \
	(&(const struct harmless){                                                                 \
		.own = SIZE_MAX,                                                                   \
	})

/* Opens a path for reading. -errno, or -TS_REGULAR_...; ts_regular_reason() has the words. */
int harmless_open(const char *path, const struct harmless *how);
/*
 * How to open a path below a folder that the user or tstream chose. If folder is NULL, or the path
 * is not below it, no part of the path is trusted.
 */
struct harmless harmless_below(const char *folder, const char *path);
/*
 * How to open a path in the folder of symbols of a capture. archive: "CAPTURE/symbols"; CAPTURE is
 * trusted.
 */
struct harmless harmless_archived(const char *archive);

#endif
