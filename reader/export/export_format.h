/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of `tstream export`, a row each.
 *
 * Threads: constant.
 */
#ifndef TS_READER_EXPORT_EXPORT_FORMAT_H
#define TS_READER_EXPORT_EXPORT_FORMAT_H

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/export/export_source.h"

struct export_format {
	const char *name;
	const char *suffix; /* of a file without a name of its own: CAPTURE.folded */
	const char *opener; /* how people open it, "%s" for the file */
	/* 0, -errno with *err, or -EPIPE without a sentence. */
	int (*write)(const struct export_source *source, struct result_file *to,
		     struct ts_error *err);
};

/* The row of a name. NULL with a sentence: there is no such format. */
const struct export_format *export_format_find(const char *name, struct ts_error *err);

#endif
