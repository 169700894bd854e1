// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/cmd_rescue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/base/log.h"
#include "common/base/units.h"
#include "common/directory/memory_store.h"
#include "common/options/print_command.h"
#include "reader/merge/cmd_merge.h"
#include "reader/merge/memory_stores.h"

struct rescue_options {
	const char *output; /* NULL: the path that the recorder would have written */
	const char *hold;   /* NULL: list them */
};

static int take_word(void *options, char **rest, struct ts_error *err)
{
	struct rescue_options *o = options;

	if (o->hold)
		return ts_error_set(err, EINVAL, "cannot rescue %s as well: give one hold", *rest);
	o->hold = *rest;
	return 0;
}

static int settle_options(void *options, struct ts_error *err)
{
	const struct rescue_options *o = options;

	if (o->output && !o->hold)
		return ts_error_set(err, EINVAL,
				    "cannot rescue: no hold was given; 'tstream rescue' without "
				    "options lists the holds");
	return 0;
}

static const struct ts_option option_rows[] = {
	{TS_OPTION_TEXT, "output", 'o', "OUT", "the capture to make (the -o of the recorder)",
	 .group = "Output", .at = offsetof(struct rescue_options, output)},
	{0},
};

const struct ts_command cmd_rescue_line = {
	.name = "rescue",
	.summary = "make a capture of the records of a killed recorder",
	.words = "[HOLD]",
	.purpose = "Makes a capture of the records that a killed recorder (record -M) held in "
		   "memory.\nWithout HOLD, lists the holds.",
	.rows = option_rows,
	.take_word = take_word,
	.settle = settle_options,
};

/* --- the list --- */

static int list_stores(void)
{
	struct memory_stores holds;
	char size[TS_UNITS_TEXT];
	struct ts_error err;

	if (memory_stores_read(&holds, &err) < 0) {
		ts_log_error(&err);
		return 1;
	}
	for (size_t i = 0; i < holds.nr; i++) {
		const struct memory_store *h = &holds.items[i];

		printf("%s  %s, %s, for %s\n", h->path,
		       h->is_alive ? "being recorded" : "left by a recorder that was killed",
		       ts_units_format_size(size, h->bytes), h->output ? h->output : "?");
	}
	if (!holds.nr)
		ts_log_note("no recorder of this user holds anything in " TS_MEMORY_STORE_PARENT);
	memory_stores_release(&holds);
	return fflush(stdout) ? 1 : 0;
}

/* --- one --- */

static int check_store(const struct memory_store *h, const char *output, struct ts_error *err)
{
	struct stat st;

	if (h->is_alive) {
		ts_error_set(err, EBUSY, "cannot rescue %s: its recorder is still running",
			     h->path);
		return ts_error_hint(
			err,
			"make a snapshot with kill -USR1, or end the recorder with kill -TERM");
	}
	if (!h->nr_parts) /* nothing is to be written */
		return 0;
	if (!output) {
		ts_error_set(err, EINVAL, "cannot rescue %s: it has no name for the output",
			     h->path);
		return ts_error_hint(err, "name a place with -o");
	}
	if (lstat(output, &st) == 0) {
		ts_error_set(err, EEXIST, "cannot rescue %s to %s: the output exists already",
			     h->path, output);
		return ts_error_hint(err, "name another place with -o");
	}
	return 0;
}

/* The store is removed only if all of it could be read. */
static int merge_all(struct memory_store *h, const char *output)
{
	char **argv = calloc(h->nr_parts + 5, sizeof(*argv));
	struct ts_error err;
	int argc = 0, status;

	if (!argv) {
		ts_error_sys(&err, ENOMEM, "cannot merge the parts of %s", h->path);
		ts_log_error(&err);
		return 1;
	}
	argv[argc++] = (char *)"merge";
	argv[argc++] = (char *)"-o";
	argv[argc++] = (char *)(uintptr_t)output;
	argv[argc++] = (char *)"--";
	for (size_t i = 0; i < h->nr_parts; i++)
		argv[argc++] = h->parts[i];
	status = cmd_merge(argc, argv);
	free(argv);
	if (status) {
		ts_log_note("%s was left unchanged", h->path);
	} else if (memory_store_remove(h, &err) < 0) {
		ts_log_error(&err);
		status = 1;
	}
	return status;
}

/* Its recorder was killed before its first segment had a `data`. */
static int remove_empty(struct memory_store *h)
{
	struct ts_error err;

	if (memory_store_remove(h, &err) < 0) {
		ts_log_error(&err);
		return 1;
	}
	ts_log_note("%s had no capture: it was removed", h->path);
	return 0;
}

static int rescue_store(const struct rescue_options *o)
{
	struct ts_error err;
	struct memory_store hold;
	const char *output;
	int status = 1;

	if (memory_store_open(&hold, o->hold, true, &err) == 0) {
		output = o->output ? o->output : hold.output;
		if (check_store(&hold, output, &err) == 0)
			status = hold.nr_parts ? merge_all(&hold, output) : remove_empty(&hold);
		else
			ts_log_error(&err);
	} else {
		ts_log_error(&err);
	}
	memory_store_close(&hold);
	return status;
}

int cmd_rescue(int argc, char **argv)
{
	struct rescue_options options = {0};
	int status = ts_print_command(&cmd_rescue_line, &options, argc, argv);

	if (status != TS_COMMAND_GOES_ON)
		return status;
	return options.hold ? rescue_store(&options) : list_stores();
}
