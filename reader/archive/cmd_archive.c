// SPDX-License-Identifier: Apache-2.0
/*
 * Which modules are hit is found as a report finds it: all samples are counted, with their callers, so that each module
 * that has a frame is asked for its symbols.
 */
#include "reader/archive/cmd_archive.h"

#include <argp.h>
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
#include "reader/archive/archive.h"
#include "reader/commands/interrupt_thread.h"
#include "reader/commands/sigbus.h"
#include "reader/objects/debug_server.h"
#include "reader/report/report_run.h"
#include "reader/runtime/spill_options.h"
#include "reader/runtime/workers.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_damage.h"

#define STATUS_STOPPED 130 /* 128 + SIGINT, as a shell says it */
#define MISSING_SAID   10  /* of a capture; of more, how many */

enum { OPTION_LINES = 256, OPTION_WHOLE, OPTION_STORE, OPTION_SYMFS, OPTION_SERVERS };

struct archive_options {
	char **captures; /* owned */
	size_t nr_captures;
	const char *store;
	struct symbol_places places;
	bool with_lines, is_whole, quiet;
	unsigned int nr_jobs; /* 0: one a CPU */
	uint64_t mem_limit;   /* bytes */
};

static const struct argp_option option_table[] = {
	{"lines", OPTION_LINES, NULL, 0, "also what source lines are read from", 0},
	{"whole", OPTION_WHOLE, NULL, 0, "objects and debug files as they are", 0},
	{"store", OPTION_STORE, "FOLDER", 0,
	 "a file that FOLDER has becomes a link to it, else it gets it", 0},
	{"symfs", OPTION_SYMFS, "FOLDER", 0, "look for files below FOLDER", 0},
	{"debuginfod", OPTION_SERVERS, "URLS", OPTION_ARG_OPTIONAL,
	 "get what is not here from these servers", 0},
	{"jobs", 'j', "N", 0, "resolve with N threads (one a CPU)", 0},
	{"quiet", 'q', NULL, 0, "say only what is damaged", 0},
	{NULL, 'h', NULL, 0, "give this help list", -1},
	{0},
};

/* --- the command line --- */

static void read_jobs(struct archive_options *o, const char *arg, struct argp_state *state)
{
	o->nr_jobs = workers_parse(arg);
	if (!o->nr_jobs)
		argp_error(state, "cannot archive with '%s' threads: give a number from 1 to 1024",
			   arg);
}

static error_t take_capture(struct archive_options *o, char *arg)
{
	char **grown = reallocarray(o->captures, o->nr_captures + 1, sizeof(*grown));

	if (!grown)
		return ENOMEM;
	o->captures = grown;
	o->captures[o->nr_captures++] = arg;
	return 0;
}

static error_t take_place(struct archive_options *o, int key, const char *arg,
			  struct argp_state *state)
{
	struct ts_error err;
	int rc = key == OPTION_SYMFS ? symbol_places_set_symfs(&o->places, arg, &err)
				     : symbol_places_set_servers(&o->places, arg, &err);

	if (rc)
		argp_error(state, "%s", err.text);
	return 0;
}

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	struct archive_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->mem_limit;
		return 0;
	case ARGP_KEY_ARG:
		return take_capture(o, arg);
	case OPTION_LINES:
		o->with_lines = true;
		return 0;
	case OPTION_WHOLE:
		o->is_whole = true;
		return 0;
	case OPTION_STORE:
		o->store = arg;
		return 0;
	case OPTION_SYMFS:
	case OPTION_SERVERS:
		return take_place(o, key, arg, state);
	case 'j':
		read_jobs(o, arg, state);
		return 0;
	case 'q':
		o->quiet = true;
		ts_log_set_level(TS_LOG_QUIET);
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_END:
		if (!o->nr_captures)
			argp_error(state, "cannot archive nothing: name a capture");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct command {
	struct archive_options options;
	struct report_options report; /* what is counted */
	struct progress progress;
	struct spill spill;
	struct vigil vigil;
	int *folders; /* --store, and of the captures before: where equal files may stand */
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
		ts_warn("%s", why->text);
}

static int fill(const struct module *m, void *user)
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
		ts_warn("%u more modules are not archived: 'tstream report --explain-symbols' "
			"tells which",
			f->nr_missing - MISSING_SAID);
	ts_note("%s: %s in %u files, of %u of %u modules%s%s", a->path,
		ts_format_size(all, a->bytes), a->nr_files, f->nr_modules - f->nr_missing,
		f->nr_modules, a->shared_bytes ? "; shared: " : "",
		a->shared_bytes ? ts_format_size(shared, a->shared_bytes) : "");
}

/* The folder of this capture may have what the next one needs. */
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

static int fill_folder(struct command *c, const struct reading *r, struct ts_error *err)
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
	rc = symbols_each_asked(r->symbols, fill, &f);
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
		     "cannot archive %s: it is a single file, and symbols lie in a directory",
		     capture->path);
	return ts_error_hint(err, "make a directory of it with 'tstream merge -o OUT %s'",
			     capture->path);
}

static int archive_reading(struct command *c, struct reading *r, struct ts_error *err)
{
	int rc = reading_open(r, &c->report, &c->spill, &c->progress,
			      c->options.nr_jobs ? c->options.nr_jobs : workers_default(), err);

	if (!rc)
		rc = check_capture(&r->capture, err);
	if (!rc)
		rc = reading_count(r, err);
	if (!rc && progress_is_stopped(&c->progress))
		return ts_error_sys(err, EINTR, "cannot archive %s", r->capture.path);
	return rc ? rc : fill_folder(c, r, err);
}

static int archive_capture(struct command *c, const char *path, struct ts_error *err)
{
	struct reading reading = {0};
	int rc;

	c->report.inputs[0] = path;
	rc = archive_reading(c, &reading, err);
	if (!reading_merge_damage(&reading) && reading.damage.nr) {
		say_damage(&reading.capture, &reading.damage);
		c->is_damaged = true;
	}
	if (!rc && print_links(&reading.capture))
		c->is_damaged = true;
	reading_close(&reading);
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
		if (progress_is_stopped(&c->progress))
			return STATUS_STOPPED;
	}
	return rc || c->is_damaged ? 1 : status;
}

static int run_command(struct command *c)
{
	const struct archive_options *o = &c->options;
	struct ts_error err;
	int status;

	lost_page_watch();
	if (progress_init(&c->progress, &err)) {
		ts_log_error(&err);
		return 1;
	}
	c->report = (struct report_options){.mem_limit = o->mem_limit,
					    .nr_inputs = 1,
					    .max_stack = REPORT_STACK_KERNEL,
					    .places = o->places};
	callgraph_style_init(&c->report.callgraph);
	symbol_places_settle(&o->places);
	debug_server_watch(o->places.server, &c->progress);
	spill_init(&c->spill, o->mem_limit, NULL);
	vigil_start(&c->vigil, &c->progress, isatty(STDERR_FILENO) && !o->quiet);
	status = archive_all(c);
	vigil_end(&c->vigil);
	spill_release(&c->spill);
	progress_release(&c->progress);
	return status;
}

static void release(struct command *c)
{
	for (size_t i = 0; i < c->nr_folders; i++)
		close(c->folders[i]);
	free(c->folders);
	free(c->options.captures);
	symbol_places_release(&c->options.places);
}

int cmd_archive(int argc, char **argv)
{
	const struct argp_child children[] = {{.argp = &spill_argp}, {0}};
	const struct argp argp = {
		.options = option_table,
		.parser = take_option,
		.children = children,
		.args_doc = "CAPTURE...",
		.doc = "Puts what is needed to read captures on another machine into "
		       "CAPTURE/" TS_SYMBOLS_FOLDER ".",
	};
	struct command c = {0};
	int status;

	argv[0] = (char *)"tstream archive"; /* what its usage and argp's complaints begin with */
	argp_err_exit_status = 2;
	status = argp_parse(&argp, argc, argv, 0, NULL, &c.options) ? 2 : run_command(&c);
	release(&c);
	return status;
}
