// SPDX-License-Identifier: Apache-2.0
#include "reader/check/cmd_check.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/fdio.h"
#include "common/base/log.h"
#include "reader/check/check.h"
#include "reader/check/print_check.h"
#include "reader/check/repair.h"
#include "reader/commands/interrupt_thread.h"
#include "reader/commands/sigbus.h"
#include "reader/runtime/spill_options.h"
#include "reader/runtime/workers.h"

#define STATUS_STOPPED 130 /* 128 + SIGINT, as a shell says it */

struct check_options {
	const char *input;
	bool json, quiet, repair;
	const char *repair_path; /* NULL: CAPTURE.repaired */
	unsigned int nr_jobs;	 /* 0: one a CPU */
	uint64_t mem_limit;	 /* bytes */
};

enum { OPTION_JSON = 256, OPTION_REPAIR };

static const struct argp_option option_table[] = {
	{"input", 'i', "FILE", 0, "the same as CAPTURE", 0},
	{"json", OPTION_JSON, NULL, 0, "print what was found as JSON", 0},
	{"jobs", 'j', "N", 0, "check with N threads (one a CPU)", 0},
	{"repair", OPTION_REPAIR, "DIR", OPTION_ARG_OPTIONAL,
	 "make a new capture of what is sound (CAPTURE.repaired)", 0},
	{"quiet", 'q', NULL, 0, "print only what is damaged", 0},
	{NULL, 'h', NULL, 0, "give this help list", -1},
	{0},
};

static void set_input(struct check_options *o, const char *arg, struct argp_state *state)
{
	if (o->input)
		argp_error(state,
			   "cannot check '%s', too: give one capture, and --repair=DIR for what is "
			   "made of it",
			   arg);
	o->input = arg;
}

static void read_jobs(struct check_options *o, const char *arg, struct argp_state *state)
{
	o->nr_jobs = workers_parse(arg);
	if (!o->nr_jobs)
		argp_error(state, "cannot check with '%s' threads: give a number from 1 to 1024",
			   arg);
}

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	struct check_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->mem_limit;
		return 0;
	case 'i':
	case ARGP_KEY_ARG:
		set_input(o, arg, state);
		return 0;
	case OPTION_JSON:
		o->json = true;
		return 0;
	case OPTION_REPAIR:
		o->repair = true;
		o->repair_path = arg;
		return 0;
	case 'j':
		read_jobs(o, arg, state);
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_END:
		if (o->json && o->quiet)
			argp_error(state, "cannot print JSON quietly: give --json or -q");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int print(const struct check *c, const struct repair *repaired,
		 const struct check_options *o, struct ts_error *err)
{
	struct ts_bytes text = {0};
	int rc = 0;

	if (o->json)
		rc = print_check_json(c, repaired, &text);
	else
		print_check(c, repaired, o->quiet, &text);
	if (!rc)
		rc = ts_bytes_failed(&text) ? -ENOMEM
					    : ts_write_all(STDOUT_FILENO, text.data, text.len);
	ts_bytes_release(&text);
	if (rc && rc != -EPIPE)
		return ts_error_sys(err, -rc, "cannot print what was found");
	return 0;
}

/* The name given, or that of the capture with ".repaired". */
static int repair(const struct check *c, const struct check_options *o, struct repair *ret,
		  struct ts_error *err)
{
	size_t len = strlen(c->capture.path);
	char *path;
	int rc;

	while (len > 1 && c->capture.path[len - 1] == '/')
		len--;
	rc = o->repair_path ? asprintf(&path, "%s", o->repair_path)
			    : asprintf(&path, "%.*s.repaired", (int)len, c->capture.path);
	if (rc < 0)
		return ts_error_sys(err, ENOMEM, "cannot repair %s", c->capture.path);
	rc = repair_run(ret, c, path, err);
	free(path);
	return rc;
}

/* Prints what was found so far; says how far that is. */
static int stop_checking(const struct check *c, const struct check_options *o, struct ts_error *err)
{
	const struct check_options found = {.quiet = true};

	if (!o->json)
		print(c, NULL, &found, err);
	return ts_error_set(err, EINTR, "cannot check all of %s: interrupted, %.0f %% was checked",
			    c->capture.path, progress_percent(c->capture.progress));
}

int cmd_check(int argc, char **argv)
{
	const struct argp_child children[] = {{.argp = &spill_argp}, {0}};
	const struct argp argp = {
		.options = option_table,
		.parser = take_option,
		.children = children,
		.args_doc = "[CAPTURE]",
		.doc = "Checks that everything in a capture is as it was written.",
	};
	struct check_options o = {0};
	struct spill spill;
	struct check check;
	struct repair repaired = {0};
	struct ts_error err, repair_err;
	struct progress progress;
	struct vigil vigil;
	int status = 1, repair_rc = 0;
	int rc;

	argv[0] = (char *)"tstream check"; /* what its usage and argp's complaints begin with */
	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	lost_page_watch();
	if (progress_init(&progress, &err)) {
		ts_log_error(&err);
		return 1;
	}
	spill_init(&spill, o.mem_limit, NULL);
	vigil_start(&vigil, &progress, isatty(STDERR_FILENO) && !o.quiet);
	rc = check_open(&check, o.input, o.nr_jobs ? o.nr_jobs : workers_default(), &spill,
			&progress, &err);
	if (rc == -ENOMEM)
		spill_failed(&spill, &err);
	if (!rc && progress_is_stopped(&progress))
		rc = stop_checking(&check, &o, &err);
	if (!rc && o.repair)
		repair_rc = repair(&check, &o, &repaired, &repair_err);
	vigil_end(&vigil);
	if (!rc)
		rc = print(&check, o.repair && !repair_rc ? &repaired : NULL, &o, &err);
	if (!rc && !check.has_header && *check.refusal.hint)
		ts_note("%s: %s", check.capture.path, check.refusal.hint);
	if (repair_rc)
		ts_log_error(&repair_err);
	if (rc)
		ts_log_error(&err);
	else
		status = check.findings.nr || repair_rc ? 1 : 0;
	if (rc == -EINTR || repair_rc == -EINTR)
		status = STATUS_STOPPED;
	repair_release(&repaired);
	check_close(&check);
	spill_release(&spill);
	progress_release(&progress);
	return status;
}
