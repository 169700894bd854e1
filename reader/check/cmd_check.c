// SPDX-License-Identifier: Apache-2.0
#include "reader/check/cmd_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "common/base/log.h"
#include "common/options/print_command.h"
#include "reader/check/check.h"
#include "reader/check/print_check.h"
#include "reader/check/repair.h"
#include "reader/commands/session.h"
#include "reader/runtime/memory_options.h"
#include "reader/runtime/workers.h"

struct check_options {
	const char *input;
	bool json, quiet, repair;
	const char *repair_path; /* NULL: CAPTURE.repaired */
	uint64_t nr_jobs;	 /* 0: one per CPU */
	uint64_t mem_limit;	 /* bytes */
};

static int take_input(void *options, const char *value, struct ts_error *err)
{
	struct check_options *o = options;

	if (o->input)
		return ts_error_set(err, EINVAL,
				    "cannot check '%s' as well: give one capture, and the repaired "
				    "one as --repair=DIR",
				    value);
	o->input = value;
	return 0;
}

static int take_word(void *options, char **rest, struct ts_error *err)
{
	return take_input(options, *rest, err);
}

static int take_repair(void *options, const char *value, struct ts_error *err)
{
	struct check_options *o = options;

	(void)err;
	o->repair = true;
	o->repair_path = value;
	return 0;
}

static int settle_options(void *options, struct ts_error *err)
{
	const struct check_options *o = options;

	if (o->json && o->quiet)
		return ts_error_set(err, EINVAL,
				    "cannot use --json and -q at once: give one of them");
	return 0;
}

#define AT(field) .at = offsetof(struct check_options, field)

static const struct ts_option option_rows[] = {
	{TS_OPTION_READ, "input", 'i', "FILE", "the same as CAPTURE", .group = "Input",
	 .read = take_input},
	{TS_OPTION_READ, "repair", 0, "[DIR]",
	 "make a new capture of sound parts (CAPTURE.repaired)", .read = take_repair},
	{TS_OPTION_FLAG, "json", 0, NULL, "print the findings as JSON", .group = "How", AT(json)},
	{TS_OPTION_NUMBER, "jobs", 'j', "N", "check with N threads (one a CPU)", AT(nr_jobs),
	 .least = 1, .most = WORKERS_MAX},
	{TS_OPTION_PART, .part = memory_rows, AT(mem_limit)},
	{TS_OPTION_FLAG, "quiet", 'q', NULL, "print only damage", AT(quiet)},
	{0},
};

const struct ts_command cmd_check_line = {
	.name = "check",
	.summary = "check that everything in a capture is as it was written",
	.words = "[CAPTURE]",
	.purpose = "Checks that everything in a capture is as it was written.",
	.rows = option_rows,
	.take_word = take_word,
	.settle = settle_options,
};

static int print_results(const struct check *c, const struct repair *repaired,
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
					    : ts_file_write_all(STDOUT_FILENO, text.data, text.len);
	ts_bytes_release(&text);
	if (rc && rc != -EPIPE)
		return ts_error_sys(err, -rc, "cannot print the findings");
	return 0;
}

static void note_strays(const struct capture *c)
{
	char text[CAPTURE_STRAYS_TEXT];

	if (capture_tell_strays(c, text))
		ts_log_note("%s", text);
}

/* Repairs into the given path, or into the path of the capture with ".repaired". */
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

/* Prints the findings so far, and how much of the capture was checked. */
static int stop_checking(const struct check *c, const struct check_options *o, struct ts_error *err)
{
	const struct check_options found = {.quiet = true};

	if (!o->json)
		print_results(c, NULL, &found, err);
	return ts_error_set(err, EINTR, "cannot check all of %s: interrupted, %.0f %% was checked",
			    c->capture.path, progress_percent(c->capture.progress));
}

int cmd_check(int argc, char **argv)
{
	struct check_options o = {.mem_limit = MEMORY_LIMIT_DEFAULT};
	struct session session;
	struct check check;
	struct repair repaired = {0};
	struct ts_error err, repair_err;
	int status, repair_rc = 0;
	int rc;

	status = ts_print_command(&cmd_check_line, &o, argc, argv);
	if (status != TS_COMMAND_GOES_ON)
		return status;
	status = 1;
	if (session_begin(&session, o.mem_limit, o.nr_jobs, TS_LOG_NORMAL, &err)) {
		ts_log_error(&err);
		return 1;
	}
	session_watch(&session, !o.quiet);
	rc = check_open(&check, o.input, session.nr_workers, &session.memory, &session.progress,
			&err);
	if (rc == -ENOMEM)
		memory_failed(&session.memory, &err);
	if (!rc && progress_is_stopped(&session.progress))
		rc = stop_checking(&check, &o, &err);
	if (!rc && o.repair)
		repair_rc = repair(&check, &o, &repaired, &repair_err);
	session_unwatch(&session);
	if (!rc)
		rc = print_results(&check, o.repair && !repair_rc ? &repaired : NULL, &o, &err);
	if (!rc && !o.quiet)
		note_strays(&check.capture);
	if (!rc && !check.has_header && *check.refusal.hint)
		ts_log_note("%s: %s", check.capture.path, check.refusal.hint);
	if (repair_rc)
		ts_log_error(&repair_err);
	if (rc)
		ts_log_error(&err);
	else
		status = check.findings.nr || repair_rc ? 1 : 0;
	if (rc == -EINTR || repair_rc == -EINTR)
		status = INTERRUPT_STATUS;
	repair_release(&repaired);
	check_close(&check);
	session_end(&session);
	return status;
}
