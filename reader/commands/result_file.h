/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result that others read: an export or a picture. It is made beside its name and shown when it is
 * complete. Each result has a mark (result_mark.h), so a later one may replace it, unless somebody has
 * written to it. Other files are replaced only if the user says --force, and captures never, except by a copy of a
 * capture: that has a mark, too, by which it is told from a recording.
 *
 *	result_file_open()     before the capture is read: a wrong name is told at once
 *	result_file_write()    ...
 *	result_file_publish()
 *
 * "-" is standard output.
 *
 * Threads: one owner at a time.
 */
#ifndef TS_READER_COMMANDS_RESULT_FILE_H
#define TS_READER_COMMANDS_RESULT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/commands/beside_file.h"

struct result_file {
	const char *path;   /* for errors, too; not owned, must outlive *f */
	char *named;	    /* owned: the path that was made of a capture's; else NULL */
	const char *source; /* the capture that this is a copy of; NULL: it is none */
	struct beside_file file;
	bool to_stdout, is_forced;
	bool existed;	 /* a file was at the path: */
	struct stat old; /* that file */
};

#define RESULT_FILE_NONE                                                                           \
	{                                                                                          \
		.file = BESIDE_FILE_NONE                                                           \
	}

/*
 * Creates the file beside its name. -EEXIST: the file that is there is not replaced, or another
 * command makes the same result; -EINVAL: standard output is a terminal, or the path names no file.
 * The caller releases *f, even after failure.
 */
int result_file_open(struct result_file *f, const char *path, bool is_forced, struct ts_error *err);
/* The same for CAPTURE.suffix; `capture` is the path that it was opened by. */
int result_file_open_beside(struct result_file *f, const char *capture, const char *suffix,
			    bool is_forced, struct ts_error *err);
/*
 * The same for a copy of a capture that is a capture itself; `path` NULL: CAPTURE.suffix. It replaces a capture of one file,
 * too: an older copy that has its mark, or by force any of this user. -EEXIST also if that is `capture`. All strings must
 * outlive *f.
 */
int result_file_open_copy(struct result_file *f, const char *path, const char *capture,
			  const char *suffix, bool is_forced, struct ts_error *err);
/* CAPTURE.suffix, which the caller frees. -EINVAL: the capture is standard input. */
int result_file_name(const char *capture, const char *suffix, char **ret, struct ts_error *err);
/* Captures are not replaced, by force either: -EEXIST, if the path is one or a file of one. */
int result_file_check_capture(const char *path, struct ts_error *err);
/* -EPIPE, and *err is not set: the reader of standard output went away. */
int result_file_write(struct result_file *f, const void *bytes, size_t len, struct ts_error *err);
/* The same for a block, which is empty afterwards. -ENOMEM: an append to it failed before. */
int result_file_write_block(struct result_file *f, struct ts_bytes *block, struct ts_error *err);
/* Puts the file into place. -EBUSY: another file came there meanwhile. */
int result_file_publish(struct result_file *f, struct ts_error *err);
void result_file_release(struct result_file *f); /* removes what was not published; idempotent */

#endif
