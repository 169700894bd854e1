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
#include "reader/commands/result_folder.h"
#include "reader/export/export_source.h"

struct export_format {
	const char *name;
	const char *suffix; /* behind the name of the capture, without -o */
	const char *opener; /* a sentence: how people open it */
	struct frame_looks_plan looks;
	bool has_marks;	     /* --annotate can mark kinds of frames in names */
	bool wants_about;    /* export_source.about */
	bool is_bare;	     /* its stacks have no command: threads have names */
	bool has_timelines;  /* --timeline chooses what its tracks are */
	bool has_all_events; /* without -e it has the stacks and times of all events */
	bool is_copy; /* of all records: cmd_export_copy.h writes it, and nothing is selected */
	const char *weightless;		  /* why it refuses --weight; NULL: it does not */
	struct export_times_limits times; /* export_source.times */
	const char *lacks; /* the library that this program was built without; NULL: none */
	/* 0, -errno with *err, or -EPIPE or -EINTR without a sentence. NULL: `lacks`, `files` or `is_copy`. */
	int (*write)(const struct export_source *source, struct result_file *to,
		     struct ts_error *err);
	/* A format of several files: their names, which end with NULL; and it writes them. Else NULL. */
	const char *const *files;
	int (*write_files)(const struct export_source *source, struct result_folder *to,
			   struct ts_error *err);
};

/* The row of a name. NULL with a sentence: there is no such format, or it was not built. */
const struct export_format *export_format_find(const char *name, struct ts_error *err);

/* Adds the names of all formats to a sentence. */
void export_format_hint(struct ts_error *err);

#endif
