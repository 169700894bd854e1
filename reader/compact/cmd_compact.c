// SPDX-License-Identifier: Apache-2.0
#include "reader/compact/cmd_compact.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/units.h"
#include "common/options/print_command.h"
#include "reader/archive/archive.h"
#include "reader/commands/print_warnings.h"
#include "reader/commands/session.h"
#include "reader/compact/compact.h"
#include "reader/merge/print_merge_damage.h"
#include "reader/runtime/memory_options.h"
#include "reader/runtime/workers.h"
#include "reader/samples/unwind.h"

struct compact_options {
	const char *output, *input;
	bool quiet;
	uint64_t nr_jobs;   /* 0: one per CPU */
	uint64_t mem_limit; /* bytes */
};

static int take_word(void *options, char **rest, struct ts_error *err)
{
	struct compact_options *o = options;

	if (o->input)
		return ts_error_set(err, EINVAL,
				    "cannot compact %s as well: give one capture; 'tstream merge' "
				    "joins several into one",
				    *rest);
	o->input = *rest;
	return 0;
}

static int settle_options(void *options, struct ts_error *err)
{
	const struct compact_options *o = options;

	if (!o->output)
		return ts_error_set(err, EINVAL,
				    "cannot compact without an output: name it with -o");
	if (!o->input)
		return ts_error_set(err, EINVAL, "cannot compact: no capture was given");
	return 0;
}

#define AT(field) .at = offsetof(struct compact_options, field)

static const struct ts_option option_rows[] = {
	{TS_OPTION_TEXT, "output", 'o', "OUT",
	 "the capture to make; an existing capture becomes OUT.old", .group = "Output", AT(output)},
	{TS_OPTION_NUMBER, "jobs", 'j', "N", "unwind with N threads (one a CPU)", .group = "How",
	 AT(nr_jobs), .least = 1, .most = WORKERS_MAX},
	{TS_OPTION_PART, .part = memory_rows, AT(mem_limit)},
	{TS_OPTION_FLAG, "quiet", 'q', NULL, "print only damage", AT(quiet)},
	{0},
};

const struct ts_command cmd_compact_line = {
	.name = "compact",
	.summary = "unwind the stack dumps of a capture once, and drop them",
	.words = "CAPTURE",
	.purpose = "Unwinds the stack dumps of a capture once, and makes a capture with callchains "
		   "instead.",
	.rows = option_rows,
	.take_word = take_word,
	.settle = settle_options,
};

struct command {
	struct compact_options options;
	struct ts_dir dir;
	struct compact compact;
	struct session session;
};

/* --- what unwinds --- */

static void *open_unwinder(const struct compact *c, struct ts_error *err)
{
	struct unwinder *u = calloc(1, sizeof(*u));

	if (u && !unwinder_init(u, &c->events, c->tasks, c->symbols, UNWIND_BY_TABLE,
				COMPACT_FRAMES_MAX))
		return u;
	free(u);
	ts_error_sys(err, ENOMEM, "cannot unwind %s", c->merge.capture.path);
	return NULL;
}

static void join_unwound(void *state, struct ts_sample *sample)
{
	unwind_join(state, sample);
}

static void close_unwinder(void *state)
{
	unwinder_release(state);
	free(state);
}

/* --- the command --- */

static size_t length_of(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* Refuses the capture if it has a name that making OUT would remove. */
static int refuse_beside(const struct compact_options *o, const char *suffix, struct ts_error *err)
{
	struct stat theirs, ours;
	char *beside;
	bool is_it;

	if (asprintf(&beside, "%.*s%s", (int)length_of(o->output), o->output, suffix) < 0)
		return ts_error_sys(err, ENOMEM, "cannot compact %s", o->input);
	is_it = !stat(beside, &ours) && !stat(o->input, &theirs) && ours.st_ino == theirs.st_ino &&
		ours.st_dev == theirs.st_dev;
	free(beside);
	if (!is_it)
		return 0;
	ts_error_set(err, EEXIST,
		     "cannot compact %s into %s: the output needs that name while it is made",
		     o->input, o->output);
	return ts_error_hint(err, "rename %s first, or name another output with -o", o->input);
}

static int run_compact(struct command *c, struct ts_error *err)
{
	static const struct compact_unwinding unwinding = {open_unwinder, join_unwound,
							   close_unwinder};
	const struct compact_options *o = &c->options;
	int rc = ts_dir_check(o->output, err);

	if (!rc)
		rc = refuse_beside(o, ".new", err);
	if (!rc)
		rc = refuse_beside(o, ".old", err);
	if (!rc)
		rc = compact_open(&c->compact, o->input, &unwinding, c->session.nr_workers,
				  &c->session.memory, &c->session.progress, err);
	print_warnings(&c->compact.warnings);
	if (!rc)
		rc = ts_dir_create(&c->dir, o->output, err);
	if (!rc)
		rc = compact_directory(&c->compact, &c->dir, err);
	if (!rc)
		rc = symbols_check(c->compact.symbols, err);
	if (!rc)
		rc = archive_carry(c->compact.merge.parts->capture.archive, &c->dir, err);
	return rc ? rc : ts_dir_publish(&c->dir, err);
}

static void say_result(const struct command *c)
{
	const struct compact *compact = &c->compact;
	char in[TS_UNITS_TEXT], out[TS_UNITS_TEXT], kept[TS_DIR_KEPT_TEXT];

	if (ts_dir_tell_kept(&c->dir, kept))
		ts_log_note("%s", kept);
	ts_log_note("%s: %" PRIu64 " records, %" PRIu64 " stacks unwound; %s became %s",
		    c->options.output, compact->counts.nr_records, compact->counts.nr_dumps,
		    ts_units_format_size(in, compact->in_bytes),
		    ts_units_format_size(out, compact->out_bytes));
}

static int run_and_say(struct command *c)
{
	struct ts_error err;
	int status, rc;

	session_watch(&c->session, !c->options.quiet);
	rc = run_compact(c, &err);
	session_unwatch(&c->session);
	status = print_merge_damage(&c->compact.merge, rc, &err);
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
	ts_dir_discard(&c->dir);
	ts_dir_release(&c->dir);
	compact_close(&c->compact);
	session_end(&c->session);
	return status;
}

int cmd_compact(int argc, char **argv)
{
	struct command c = {.dir = TS_DIR_INIT, .options.mem_limit = MEMORY_LIMIT_DEFAULT};
	int status;

	status = ts_print_command(&cmd_compact_line, &c.options, argc, argv);
	if (status != TS_COMMAND_GOES_ON)
		return status;
	return run_command(&c);
}
