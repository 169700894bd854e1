/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result that others read: an export or a picture. It is made beside its name and shown when it is
 * complete. Each result has a mark (the attribute user.tstream.result), so a later one may replace
 * it; nothing else is replaced unless the user says --force.
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

#include "common/base/error.h"
#include "reader/commands/beside_file.h"

struct result_file {
	const char *path; /* not owned; what errors name */
	struct beside_file file;
	bool to_stdout, is_forced;
	bool stands;	 /* a file is at the path: */
	struct stat was; /* that file */
};

#define RESULT_FILE_NONE                                                                           \
	{                                                                                          \
		.file = BESIDE_FILE_NONE                                                           \
	}

/*
 * Creates the file beside its name. -EEXIST: what stands there is not replaced; -EINVAL: standard
 * output is a terminal. The caller releases *f, even after failure.
 */
int result_file_open(struct result_file *f, const char *path, bool is_forced, struct ts_error *err);
/* -EPIPE without a sentence: the reader of standard output went away. */
int result_file_write(struct result_file *f, const void *bytes, size_t len, struct ts_error *err);
/* Puts the file into place. -EBUSY: another file came there meanwhile. */
int result_file_publish(struct result_file *f, struct ts_error *err);
void result_file_release(struct result_file *f); /* removes what was not published; idempotent */

#endif
