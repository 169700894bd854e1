// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/cmd_merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/options/print_command.h"
#include "reader/archive/archive.h"
#include "reader/commands/session.h"
#include "reader/merge/merge.h"
#include "reader/merge/merge_output.h"
#include "reader/merge/print_merge_damage.h"
#include "reader/runtime/memory_options.h"
#include "reader/runtime/workers.h"

struct merge_options {
	const char *output;
	const char **paths; /* [0] is for OUT if it exists already; owned */
	size_t nr_parts;    /* number of parts behind [0] */
	bool single, quiet;
	uint64_t nr_jobs;   /* 0: one per CPU */
	uint64_t mem_limit; /* bytes */
};

static int take_word(void *options, char **rest, struct ts_error *err)
{
	struct merge_options *o = options;

	(void)err;
	o->paths[1 + o->nr_parts++] = *rest;
	return 0;
}

static int settle_options(void *options, struct ts_error *err)
{
	const struct merge_options *o = options;

	if (!o->output)
		return ts_error_set(err, EINVAL, "cannot merge without an output: name it with -o");
	if (!o->nr_parts)
		return ts_error_set(err, EINVAL,
				    "cannot merge: no captures were given (example: -o all cap.*)");
	return 0;
}

#define AT(field) .at = offsetof(struct merge_options, field)

static const struct ts_option option_rows[] = {
	{TS_OPTION_TEXT, "output", 'o', "OUT",
	 "the merged capture; an existing capture is extended", .group = "Output", AT(output)},
	{TS_OPTION_FLAG, "single", 0, NULL, "make one plain perf.data file, in the order of time",
	 AT(single)},
	{TS_OPTION_NUMBER, "jobs", 'j', "N", "read the parts with N threads (one a CPU)",
	 .group = "How", AT(nr_jobs), .least = 1, .most = WORKERS_MAX},
	{TS_OPTION_PART, .part = memory_rows, AT(mem_limit)},
	{TS_OPTION_FLAG, "quiet", 'q', NULL, "print only damage", AT(quiet)},
	{0},
};

const struct ts_command cmd_merge_line = {
	.name = "merge",
	.summary = "make one capture of several of the same recording",
	.words = "CAPTURE...",
	.purpose = "Makes one capture of several of the same recording.",
	.rows = option_rows,
	.take_word = take_word,
	.settle = settle_options,
};

struct command {
	struct merge_options options;
	struct merge_output output;
	struct merge merge;
	struct session session;
	bool is_unchanged; /* the capture at OUT has everything already */
};

/* Refuses a damaged capture at OUT: it would be removed, and its damaged parts with it. */
static int check_former(const struct command *c, struct ts_error *err)
{
	const struct merge *m = &c->merge;

	if (!c->output.extends || !merge_is_damaged(m, merge_first_given(m)))
		return 0;
	ts_error_set(err, EBADMSG, "cannot extend %s: it is damaged", c->output.path);
	return ts_error_hint(err, "name another output with -o, and give %s as one of the captures",
			     c->output.path);
}

static int write_output(struct command *c, struct ts_error *err)
{
	struct merge_output *o = &c->output;
	int rc = merge_output_create(o, err);

	if (!rc)
		rc = o->is_single ? merge_single(&c->merge, o->file.fd, o->path, err)
				  : merge_directory(&c->merge, &o->dir, err);
	for (size_t i = 0; !rc && !o->is_single && i < c->merge.nr_parts; i++)
		rc = archive_carry(c->merge.parts[i].capture.archive, &o->dir, err);
	if (!rc)
		rc = check_former(c, err);
	if (!rc)
		rc = merge_note_progress(&c->merge, 0, err);
	return rc ? rc : merge_output_publish(o, err);
}

static int run_merge(struct command *c, struct ts_error *err)
{
	const struct merge_options *o = &c->options;
	size_t skip;
	int rc =
		merge_output_init(&c->output, o->output, o->single, o->paths + 1, o->nr_parts, err);

	if (rc)
		return rc;
	skip = c->output.extends ? 0 : 1;
	o->paths[0] = o->output;
	rc = merge_open(&c->merge, o->paths + skip, o->nr_parts + 1 - skip, c->session.nr_workers,
			&c->session.memory, &c->session.progress, err);
	if (!rc) /* if stopped, the table is incomplete */
		rc = merge_note_progress(&c->merge, 0, err);
	if (!rc)
		rc = merge_choose_chunks(&c->merge, err);
	c->is_unchanged =
		!rc && c->output.extends && !merge_adds_to(&c->merge, merge_first_given(&c->merge));
	if (rc || c->is_unchanged)
		return rc;
	rc = merge_gather_data(&c->merge, err);
	return rc ? rc : write_output(c, err);
}

static void say_result(const struct command *c)
{
	const struct merge *m = &c->merge;

	if (c->is_unchanged)
		ts_log_note("%s has all of these records already", c->output.path);
	else if (m->nr_twice)
		ts_log_note("%s: %" PRIu64 " records; %" PRIu64 " duplicates were left out",
			    c->output.path, m->nr_records + m->nr_data, m->nr_twice);
	else
		ts_log_note("%s: %" PRIu64 " records", c->output.path, m->nr_records + m->nr_data);
}

static int run_and_say(struct command *c)
{
	struct ts_error err;
	int status, rc;

	session_watch(&c->session, !c->options.quiet);
	rc = run_merge(c, &err);
	session_unwatch(&c->session);
	status = print_merge_damage(&c->merge, rc, &err);
	if (!rc && c->output.is_single && !c->is_unchanged && print_earlier_damage(&c->merge))
		status = 1;
	if (!rc)
		say_result(c);
	return status;
}

static int run_command(struct command *c)
{
	struct ts_error err;
	int status;

	if (session_begin(&c->session, c->options.mem_limit, c->options.nr_jobs,
			  session_level(c->options.quiet, false), &err)) {
		ts_log_error(&err);
		return 1;
	}
	status = run_and_say(c);
	merge_output_release(&c->output);
	merge_close(&c->merge);
	session_end(&c->session);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	struct command c = {.options.mem_limit = MEMORY_LIMIT_DEFAULT};
	struct ts_error err;
	int status;

	c.options.paths = calloc((size_t)argc + 1, sizeof(*c.options.paths));
	if (!c.options.paths) {
		ts_error_sys(&err, ENOMEM, "cannot begin the merge");
		ts_log_error(&err);
		return 1;
	}
	status = ts_print_command(&cmd_merge_line, &c.options, argc, argv);
	if (status == TS_COMMAND_GOES_ON)
		status = run_command(&c);
	free(c.options.paths);
	return status;
}
