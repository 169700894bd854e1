// SPDX-License-Identifier: Apache-2.0
#include "reader/export/cmd_export.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/options/print_command.h"
#include "reader/commands/print_memory.h"
#include "reader/commands/print_warnings.h"
#include "reader/commands/result_file.h"
#include "reader/commands/session.h"
#include "reader/export/export_options.h"
#include "reader/objects/debug_server.h"
#include "reader/page/shown_event.h"
#include "reader/report/print_reading.h"
#include "reader/report/report_run.h"
#include "reader/trust/print_reads.h"

const struct ts_command cmd_export_line = {
	.name = "export",
	.summary = "write stacks for other viewers",
	.words = "[CAPTURE...]",
	.purpose = "Writes the stacks of captures as a file that other viewers open.",
	.rows = export_options_rows,
	.take_word = export_options_take_word,
	.settle = export_options_settle,
};

struct command {
	struct export_options options;
	struct session session;
	struct report_run reading;
	struct result_file result;
	char *name; /* owned: CAPTURE.suffix; NULL: another name */
	uint32_t event, nr_events;
	struct frame_looks looks;
	struct stack_paths paths;
	bool is_written;
};

/* --- the file --- */

static int open_result(struct command *c, struct ts_error *err)
{
	const char *path = c->reading.capture.path;
	size_t len = strlen(path);

	if (c->options.output)
		return result_file_open(&c->result, c->options.output, c->options.is_forced, err);
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (asprintf(&c->name, "%.*s.%s", (int)len, path, c->options.format->suffix) < 0) {
		c->name = NULL;
		return ts_error_sys(err, ENOMEM, "cannot name the export");
	}
	return result_file_open(&c->result, c->name, c->options.is_forced, err);
}

static int write_result(struct command *c, struct ts_error *err)
{
	const struct export_options *o = &c->options;
	const struct export_source source = {&c->paths, o->weight, o->is_annotated};
	int rc = o->format->write(&source, &c->result, err);

	if (!rc)
		rc = result_file_publish(&c->result, err);
	c->is_written = !rc;
	return rc;
}

static void say_result(const struct command *c)
{
	const struct ts_events *events = report_run_events(&c->reading);
	char opened[PATH_MAX + 128];

	snprintf(opened, sizeof(opened), c->options.format->opener, c->result.path);
	if (!c->result.to_stdout)
		ts_log_note("%s: %zu stacks, %" PRIu64 " samples; %s", c->result.path, c->paths.nr,
			    c->paths.nr_samples, opened);
	if (c->nr_events > 1 && !c->options.event)
		ts_log_note("only %s is exported; %" PRIu32
			    " more events have samples: -e names one",
			    events->items[c->event].name, c->nr_events - 1);
}

/* --- reading --- */

static int count_capture(struct command *c, struct ts_error *err)
{
	struct report_run *r = &c->reading;
	int rc = report_run_load(r, err);

	print_warnings(&r->warnings);
	if (!rc)
		rc = report_run_stacks(r, err);
	for (size_t i = 0; i < r->join.nr; i++)
		print_warnings(&r->join.items[i].warnings);
	if (!rc && progress_is_stopped(&c->session.progress))
		rc = ts_error_set(err, EINTR, "cannot export %s: interrupted", r->capture.path);
	return rc;
}

static int list_paths(struct command *c, struct ts_error *err)
{
	const struct frame_looks_plan plan = {.by_kind = c->options.is_annotated};
	const struct aggregate *a = &c->reading.aggregate;
	int rc = frame_looks_init(&c->looks, a, &plan);

	if (!rc)
		rc = stack_paths_init(&c->paths, a, &c->looks, c->event);
	return rc ? ts_error_sys(err, -rc, "cannot list the stacks of %s", c->reading.capture.path)
		  : 0;
}

static int run_export(struct command *c, struct ts_error *err)
{
	struct report_run *r = &c->reading;
	int rc = report_run_open(r, &c->options.report, &c->session.memory, &c->session.progress,
				 c->session.nr_workers, err);

	if (!rc)
		rc = open_result(c, err);
	if (!rc)
		rc = count_capture(c, err);
	if (!rc)
		rc = shown_event_find(report_run_events(r), &r->aggregate, c->options.event,
				      &c->event, &c->nr_events, err);
	if (!rc)
		rc = report_run_check(r, err);
	if (!rc)
		rc = list_paths(c, err);
	return rc || !c->paths.nr_samples ? rc : write_result(c, err);
}

/* --- the command --- */

/* Prints the last messages and returns the exit status. */
static int finish_export(struct command *c, int rc, struct ts_error *err)
{
	const bool was_read = !rc || rc == -EPIPE;
	int status = was_read && print_reading(&c->reading) ? 1 : 0;

	if (!rc && !c->is_written) {
		print_reading_empty(&c->reading);
		status = 1;
	}
	if (was_read)
		print_reads(&c->reading.chunks);
	if (rc == -ENOMEM)
		memory_failed(&c->session.memory, err);
	if (c->is_written)
		say_result(c);
	if (!rc || rc == -EPIPE)
		print_memory(&c->session.memory);
	if (rc && rc != -EPIPE) {
		ts_log_error(err);
		status = c->reading.is_misuse ? TS_STATUS_MISUSE : 1;
	}
	return progress_is_stopped(&c->session.progress) ? INTERRUPT_STATUS : status;
}

static int run_command(struct command *c)
{
	const struct report_options *o = &c->options.report;
	struct ts_error err;
	int rc = session_begin(&c->session, o->mem_limit, o->nr_jobs,
			       session_level(o->quiet, o->verbose), &err);

	if (!rc) {
		symbol_places_settle(&o->places);
		debug_server_watch(o->places.server, &c->session.progress);
		session_watch(&c->session, !o->quiet);
		rc = run_export(c, &err);
		session_unwatch(&c->session);
	}
	return finish_export(c, rc, &err);
}

static void release_command(struct command *c)
{
	result_file_release(&c->result);
	stack_paths_release(&c->paths);
	frame_looks_release(&c->looks);
	free(c->name);
	report_run_close(&c->reading);
	session_end(&c->session);
	report_options_release(&c->options.report);
}

int cmd_export(int argc, char **argv)
{
	struct command c = {.result = RESULT_FILE_NONE};
	int status;

	export_options_init(&c.options);
	status = ts_print_command(&cmd_export_line, &c.options, argc, argv);
	if (status == TS_COMMAND_GOES_ON) {
		status = run_command(&c);
		release_command(&c);
	} else {
		report_options_release(&c.options.report);
	}
	return status;
}
