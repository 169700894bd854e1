// SPDX-License-Identifier: Apache-2.0
#include "reader/export/cmd_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/log.h"
#include "common/options/print_command.h"
#include "reader/commands/print_memory.h"
#include "reader/commands/result_file.h"
#include "reader/commands/session.h"
#include "reader/export/cmd_export_copy.h"
#include "reader/export/export_options.h"
#include "reader/objects/debug_server.h"
#include "reader/page/shown_event.h"
#include "reader/report/print_reading.h"
#include "reader/report/report_head.h"
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
	struct report_head head;
	struct result_file result;
	struct result_folder folder; /* in place of it, of a format of several files */
	uint32_t event, nr_events;
	struct frame_looks looks;
	struct stack_paths paths;
	struct export_about about;
	struct export_times times;
	bool is_written;
};

static int refuse_stopped(const struct command *c, struct ts_error *err)
{
	return ts_error_set(err, EINTR, "cannot export %s: interrupted", c->reading.capture.path);
}

/* --- the file --- */

/* Is every event exported? */
static bool has_all_events(const struct command *c)
{
	return c->options.format->has_all_events && !c->options.event;
}

static int open_folder(struct command *c, struct ts_error *err)
{
	const struct export_options *o = &c->options;
	char *path = NULL;
	int rc = 0;

	if (!o->output)
		rc = result_file_name(c->reading.capture.path, o->format->suffix, &path, err);
	if (!rc)
		rc = result_folder_open(&c->folder, o->output ? o->output : path, o->format->files,
					o->is_forced, err);
	free(path);
	return rc;
}

static int open_result(struct command *c, struct ts_error *err)
{
	const struct export_options *o = &c->options;

	if (o->format->files)
		return open_folder(c, err);
	if (o->output)
		return result_file_open(&c->result, o->output, o->is_forced, err);
	return result_file_open_beside(&c->result, c->reading.capture.path, o->format->suffix,
				       o->is_forced, err);
}

/* Of all exported events. */
static uint64_t nr_samples_of(const struct command *c)
{
	return has_all_events(c) ? c->times.samples.nr : c->paths.weight[STACK_NEW].nr_samples;
}

static int refuse_weightless(const struct command *c, struct ts_error *err)
{
	ts_error_set(err, EINVAL, "cannot export %s by period: its samples have none",
		     c->reading.capture.path);
	return ts_error_hint(err, "leave out --weight=period");
}

/* Reads losses, words and times, as far as the format shows them. */
static int describe(struct command *c, struct ts_error *err)
{
	const struct export_format *format = c->options.format;
	const bool is_timed = format->times.most_threads;
	int rc = 0;

	if (format->wants_about || is_timed)
		rc = report_head_open(&c->head, &c->reading, err);
	if (!rc && format->wants_about)
		rc = export_about_init(&c->about, &c->reading, &c->head, c->event, err);
	if (!rc && is_timed)
		rc = export_times_init(&c->times, &c->reading, &c->head,
				       has_all_events(c) ? EXPORT_TIMES_EVENTS : c->event,
				       &c->paths, &format->times, err);
	return rc;
}

static int write_result(struct command *c, struct ts_error *err)
{
	const struct export_options *o = &c->options;
	struct export_source source = {
		.paths = &c->paths,
		.events = report_run_events(&c->reading),
		.aggregate = &c->reading.aggregate,
		.head = &c->head,
		.about = &c->about,
		.progress = &c->session.progress,
		.nr_workers = c->session.nr_workers,
		.times = &c->times,
		.weight = o->weight,
		.is_annotated = o->is_annotated,
		.by_cpu = o->timeline == EXPORT_BY_CPU,
	};
	int rc;

	if (o->weight == EXPORT_PERIOD && !c->paths.weight[STACK_NEW].period)
		return refuse_weightless(c, err);
	rc = describe(c, err);
	source.captures = c->head.items;
	if (!rc)
		rc = o->format->files ? o->format->write_files(&source, &c->folder, err)
				      : o->format->write(&source, &c->result, err);
	if (progress_is_stopped(&c->session.progress))
		return refuse_stopped(c, err);
	if (!rc)
		rc = o->format->files ? result_folder_publish(&c->folder, err)
				      : result_file_publish(&c->result, err);
	c->is_written = !rc;
	return rc;
}

static void say_result(const struct command *c)
{
	const struct export_format *format = c->options.format;
	const struct ts_events *events = report_run_events(&c->reading);

	if (format->files)
		ts_log_note("%s: %" PRIu64 " samples; %s", c->folder.path, nr_samples_of(c),
			    format->opener);
	else if (!c->result.to_stdout)
		ts_log_note("%s: %zu stacks, %" PRIu64 " samples; %s", c->result.path, c->paths.nr,
			    nr_samples_of(c), format->opener);
	if (c->nr_events > 1 && !c->options.event && !format->has_all_events)
		ts_log_note("only %s is exported; other events with samples: %" PRIu32
			    "; -e names one",
			    events->items[c->event].name, c->nr_events - 1);
}

/* --- reading --- */

static int count_capture(struct command *c, struct ts_error *err)
{
	struct report_run *r = &c->reading;
	int rc = report_run_load(r, err);

	print_reading_warnings(r);
	if (!rc)
		rc = report_run_stacks(r, err);
	print_reading_warnings(r);
	return !rc && progress_is_stopped(&c->session.progress) ? refuse_stopped(c, err) : rc;
}

static int list_paths(struct command *c, struct ts_error *err)
{
	struct frame_looks_plan plan = c->options.format->looks;
	const struct stack_paths_plan wanted = {
		.events = {c->event},
		.nr_sides = 1,
		.with_others = has_all_events(c),
		.is_bare = c->options.format->is_bare,
		.with_places = c->options.format->times.most_threads,
	};
	const struct aggregate *a = &c->reading.aggregate;
	int rc;

	plan.by_kind |= c->options.is_annotated;
	rc = frame_looks_init(&c->looks, a, &plan);
	if (!rc)
		rc = stack_paths_init(&c->paths, a, &c->looks, &wanted);
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
	return rc || !c->paths.weight[STACK_NEW].nr_samples ? rc : write_result(c, err);
}

/* --- the command --- */

/* Tells of all that was read. Returns the status so far. */
static int say_reading(struct command *c)
{
	int status = print_reading(&c->reading) ? 1 : 0;

	if (!c->paths.weight[STACK_NEW].nr_samples) {
		print_reading_empty(&c->reading);
		ts_log_warn("nothing was exported");
		status = 1;
	}
	print_reads(&c->reading.chunks);
	return status;
}

/* Prints the last messages and returns the exit status. A reader that went away is no error. */
static int finish_export(struct command *c, int rc, struct ts_error *err)
{
	int status = 1;

	if (rc == -ENOMEM)
		memory_failed(&c->session.memory, err);
	if (!rc || rc == -EPIPE) {
		status = say_reading(c);
		if (c->is_written)
			say_result(c);
		print_memory(&c->session.memory);
		return status;
	}
	ts_log_error(err);
	if (progress_is_stopped(&c->session.progress))
		return INTERRUPT_STATUS;
	return c->reading.is_misuse ? TS_STATUS_MISUSE : 1;
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
	result_folder_release(&c->folder);
	export_about_release(&c->about);
	export_times_release(&c->times);
	report_head_close(&c->head);
	stack_paths_release(&c->paths);
	frame_looks_release(&c->looks);
	report_run_close(&c->reading);
	session_end(&c->session);
}

int cmd_export(int argc, char **argv)
{
	struct command c = {.result = RESULT_FILE_NONE, .folder = RESULT_FOLDER_NONE};
	int status;

	export_options_init(&c.options);
	status = ts_print_command(&cmd_export_line, &c.options, argc, argv);
	if (status == TS_COMMAND_GOES_ON && c.options.format->is_copy) {
		status = cmd_export_copy(&c.options);
	} else if (status == TS_COMMAND_GOES_ON) {
		status = run_command(&c);
		release_command(&c);
	}
	report_options_release(&c.options.report);
	return status;
}
