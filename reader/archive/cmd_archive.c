// SPDX-License-Identifier: Apache-2.0
/*
 * Modules are found as in a report: all samples are counted, with their callers, so each module
 * that has a frame is asked for its symbols.
 */
#include "reader/archive/cmd_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/units.h"
#include "common/directory/symbols_folder.h"
#include "common/options/print_command.h"
#include "reader/archive/archive.h"
#include "reader/commands/print_warnings.h"
#include "reader/commands/session.h"
#include "reader/objects/debug_server.h"
#include "reader/objects/symbol_place_options.h"
#include "reader/report/report_run.h"
#include "reader/runtime/memory_options.h"
#include "reader/runtime/workers.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_damage.h"

#define MISSING_SAID 10 /* modules that are named per capture; others are counted */

struct archive_options {
	char **captures; /* owned */
	size_t nr_captures;
	const char *store;
	struct symbol_places places;
	bool with_lines, is_whole, quiet;
	uint64_t nr_jobs;   /* 0: one per CPU */
	uint64_t mem_limit; /* bytes */
};

/* --- the command line --- */

static int take_capture(void *options, char **rest, struct ts_error *err)
{
	struct archive_options *o = options;
	char **grown = reallocarray(o->captures, o->nr_captures + 1, sizeof(*grown));

	if (!grown)
		return ts_error_sys(err, ENOMEM, "cannot archive %s", *rest);
	o->captures = grown;
	o->captures[o->nr_captures++] = *rest;
	return 0;
}

static int settle_options(void *options, struct ts_error *err)
{
	const struct archive_options *o = options;

	return o->nr_captures ? 0
			      : ts_error_set(err, EINVAL, "cannot archive: no capture was given");
}

#define AT(field) .at = offsetof(struct archive_options, field)

static const struct ts_option option_rows[] = {
	{TS_OPTION_FLAG, "lines", .help = "keep data of source lines, too", .group = "Files",
	 AT(with_lines)},
	{TS_OPTION_FLAG, "whole", .help = "keep objects and debug files whole", AT(is_whole)},
	{TS_OPTION_TEXT, "store", 0, "FOLDER",
	 "a file that FOLDER has becomes a link to it, else it gets it", AT(store)},
	{TS_OPTION_PART, .part = symbol_file_rows, AT(places)},
	{TS_OPTION_NUMBER, "jobs", 'j', "N", "resolve with N threads (one a CPU)", .group = "How",
	 AT(nr_jobs), .least = 1, .most = WORKERS_MAX},
	{TS_OPTION_PART, .part = memory_rows, AT(mem_limit)},
	{TS_OPTION_FLAG, "quiet", 'q', NULL, "print only damage", AT(quiet)},
	{0},
};

const struct ts_command cmd_archive_line = {
	.name = "archive",
	.summary = "put the symbols of a capture beside its samples",
	.words = "CAPTURE...",
	.purpose =
		"Puts the files to read captures on another machine into CAPTURE/" TS_SYMBOLS_FOLDER
		".",
	.rows = option_rows,
	.take_word = take_capture,
	.settle = settle_options,
};

struct command {
	struct archive_options options;
	struct report_options report; /* the options for counting */
	struct session session;
	int *folders; /* --store and the captures before: may have equal files */
	size_t nr_folders;
	bool is_damaged;
};

/* --- one capture --- */

struct filling {
	struct archive archive;
	unsigned int nr_modules, nr_missing;
	struct ts_error *err;
};

static void say_missing(struct filling *f, const struct ts_error *why)
{
	if (f->nr_missing++ < MISSING_SAID)
		ts_log_warn("%s", why->text);
}

static int fill_module(struct module *m, void *user)
{
	struct filling *f = user;
	int rc = archive_module(&f->archive, m, f->err);

	if (rc < 0)
		return rc;
	f->nr_modules++;
	if (rc)
		say_missing(f, f->err);
	return 0;
}

static void say_result(const struct filling *f)
{
	const struct archive *a = &f->archive;
	char all[TS_UNITS_TEXT], shared[TS_UNITS_TEXT];

	if (f->nr_missing > MISSING_SAID)
		ts_log_warn("%u more modules are not archived: 'tstream report --explain-symbols' "
			    "lists them",
			    f->nr_missing - MISSING_SAID);
	ts_log_note("%s: %s in %u files, of %u of %u modules%s%s", a->path,
		    ts_units_format_size(all, a->bytes), a->nr_files, f->nr_modules - f->nr_missing,
		    f->nr_modules, a->shared_bytes ? "; shared: " : "",
		    a->shared_bytes ? ts_units_format_size(shared, a->shared_bytes) : "");
}

/* Keeps the folder of this capture open, since the next one may need the same files. */
static void keep_folder(struct command *c, struct archive *a)
{
	int *grown = reallocarray(c->folders, c->nr_folders + 1, sizeof(*grown));

	if (grown) {
		c->folders = grown;
		c->folders[c->nr_folders++] = a->fd;
		a->fd = -1;
	}
	archive_close(a);
}

static int fill_folder(struct command *c, const struct report_run *r, struct ts_error *err)
{
	const struct archive_options *o = &c->options;
	const struct archive_plan plan = {
		.with_lines = o->with_lines,
		.is_whole = o->is_whole,
		.others = c->folders,
		.nr_others = c->nr_folders,
		.store = o->store ? c->folders[0] : -1,
	};
	struct filling f = {.err = err};
	char path[PATH_MAX];
	int rc;

	if (snprintf(path, sizeof(path), "%s/" TS_SYMBOLS_FOLDER, r->capture.path) >= PATH_MAX)
		return ts_error_sys(err, ENAMETOOLONG, "cannot archive %s", r->capture.path);
	rc = archive_open(&f.archive, path, &plan, err);
	if (rc)
		return rc;
	rc = symbols_each_asked(r->symbols, fill_module, &f);
	if (!rc)
		say_result(&f);
	keep_folder(c, &f.archive);
	return rc;
}

static int check_capture(const struct capture *capture, struct ts_error *err)
{
	if (capture->kind == CAPTURE_DIRECTORY)
		return 0;
	ts_error_set(err, ENOTDIR,
		     "cannot archive %s: it is a single file, and symbols need a directory",
		     capture->path);
	return ts_error_hint(err, "make a directory of it with 'tstream merge -o OUT %s'",
			     capture->path);
}

static int archive_reading(struct command *c, struct report_run *r, struct ts_error *err)
{
	int rc = report_run_open(r, &c->report, &c->session.memory, &c->session.progress,
				 c->session.nr_workers, err);

	if (!rc)
		rc = check_capture(&r->capture, err);
	if (!rc)
		rc = report_run_load(r, err);
	print_warnings(&r->warnings);
	if (!rc)
		rc = report_run_count(r, err);
	if (!rc && progress_is_stopped(&c->session.progress))
		return ts_error_sys(err, EINTR, "cannot archive %s", r->capture.path);
	if (!rc)
		rc = fill_folder(c, r, err);
	return rc ? rc : report_run_check(r, err);
}

static int archive_capture(struct command *c, const char *path, struct ts_error *err)
{
	struct report_run reading = {0};
	int rc;

	c->report.inputs[0] = path;
	rc = archive_reading(c, &reading, err);
	if (!report_run_merge_damage(&reading) && reading.damage.nr) {
		print_damage(&reading.capture, &reading.damage);
		c->is_damaged = true;
	}
	if (!rc && print_links(&reading.capture))
		c->is_damaged = true;
	report_run_close(&reading);
	return rc;
}

/* --- the command --- */

static int open_store(struct command *c, struct ts_error *err)
{
	struct archive store;
	const struct archive_plan plan = {.store = -1};
	int rc;

	if (!c->options.store)
		return 0;
	rc = archive_open(&store, c->options.store, &plan, err);
	if (rc)
		return rc;
	keep_folder(c, &store);
	return c->nr_folders ? 0 : ts_error_sys(err, ENOMEM, "cannot open %s", store.path);
}

static int archive_all(struct command *c)
{
	struct ts_error err;
	int rc = open_store(c, &err), status = 0;

	if (rc)
		ts_log_error(&err);
	for (size_t i = 0; !rc && i < c->options.nr_captures; i++) {
		if (!archive_capture(c, c->options.captures[i], &err))
			continue;
		ts_log_error(&err);
		status = 1;
		if (progress_is_stopped(&c->session.progress))
			return INTERRUPT_STATUS;
	}
	return rc || c->is_damaged ? 1 : status;
}

static int run_command(struct command *c)
{
	const struct archive_options *o = &c->options;
	struct ts_error err;
	int status;

	if (session_begin(&c->session, o->mem_limit, o->nr_jobs, session_level(o->quiet, false),
			  &err)) {
		ts_log_error(&err);
		return 1;
	}
	c->report = (struct report_options){.mem_limit = o->mem_limit,
					    .nr_inputs = 1,
					    .max_stack = REPORT_STACK_KERNEL,
					    .places = o->places};
	callgraph_style_init(&c->report.callgraph);
	symbol_places_settle(&o->places);
	debug_server_watch(o->places.server, &c->session.progress);
	session_watch(&c->session, !o->quiet);
	status = archive_all(c);
	session_unwatch(&c->session);
	session_end(&c->session);
	return status;
}

static void release_command(struct command *c)
{
	for (size_t i = 0; i < c->nr_folders; i++)
		close(c->folders[i]);
	free(c->folders);
	free(c->options.captures);
	symbol_places_release(&c->options.places);
}

int cmd_archive(int argc, char **argv)
{
	struct command c = {.options.mem_limit = MEMORY_LIMIT_DEFAULT};
	int status = ts_print_command(&cmd_archive_line, &c.options, argc, argv);

	if (status == TS_COMMAND_GOES_ON)
		status = run_command(&c);
	release_command(&c);
	return status;
}
