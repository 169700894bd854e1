// SPDX-License-Identifier: Apache-2.0
#include "reader/report/cmd_report.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/units.h"
#include "common/options/print_command.h"
#include "reader/commands/print_memory.h"
#include "reader/commands/session.h"
#include "reader/dump/print_header.h"
#include "reader/report/joined_captures.h"
#include "reader/report/print_json.h"
#include "reader/report/print_reading.h"
#include "reader/report/print_report.h"
#include "reader/report/print_sections.h"
#include "reader/report/report_follow.h"
#include "reader/report/report_head.h"
#include "reader/report/report_options.h"
#include "reader/report/report_output.h"
#include "reader/report/report_page.h"
#include "reader/report/report_picture.h"
#include "reader/report/report_run.h"
#include "reader/runtime/workers.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_overview.h"
#include "reader/trust/print_reads.h"
#include "reader/trust/print_symbols.h"

struct command {
	struct report_options options;
	struct session session;
	struct report_followed followed;
	struct report_run reading;
	struct report_head head;
	bool is_empty; /* no sample was shown: the message comes after its possible reasons */
	struct report_output output;
	struct report_picture picture;
	struct report_page page;
};

static void stop_following(int signal)
{
	(void)signal;
	_exit(INTERRUPT_STATUS);
}

/* --- printing --- */

static int print_head(struct command *c, struct ts_error *err)
{
	print_unwound(&c->reading.capture, c->options.unwind, &c->reading.aggregate.unwound);
	return report_head_print(&c->head, &c->reading.selection,
				 !report_run_is_partial(&c->reading) && !c->options.is_relative &&
					 !c->options.selection.is_known,
				 &c->output.text, err);
}

static int print_as_json(struct command *c, const struct report *report, struct ts_error *err)
{
	const struct json_report json = {report, &c->head, &c->options.selection};
	int rc = report_output_flush(&c->output, err);

	if (rc)
		return rc;
	rc = print_json(&json, report_output_write, &c->output);
	return rc && rc != -EPIPE ? ts_error_sys(err, -rc, "cannot print the report") : rc;
}

static int explain_symbols(struct command *c, struct ts_error *err)
{
	const struct report_run *r = &c->reading;
	int rc = print_symbols(&r->aggregate, r->symbols, &c->output.text);

	return rc ? ts_error_sys(err, -rc, "cannot list the sources of symbols")
		  : report_output_flush(&c->output, err);
}

static int print_events(struct command *c, struct ts_error *err)
{
	const struct report_run *r = &c->reading;
	struct report report;
	int rc = report_head_open(&c->head, &c->reading, err);

	if (rc)
		return rc;
	report_run_report(r, &report);
	/* There are no samples, or none is shown. */
	c->is_empty = !report_run_nr_samples(r) || !r->table.nr;
	if (c->options.explain)
		return explain_symbols(c, err);
	if (c->options.json)
		return print_as_json(c, &report, err);
	if (report_run_nr_samples(r) && !c->options.quiet)
		rc = print_head(c, err);
	if (!rc)
		rc = report_output_flush(&c->output, err);
	for (uint32_t i = 0; !rc && i < report.events->nr; i++) {
		rc = print_report_event(&report, i, report_output_write, &c->output);
		if (rc && rc != -EPIPE)
			return ts_error_sys(err, -rc, "cannot print the report");
	}
	return rc;
}

/* --- the command --- */

static void print_headers(struct command *c)
{
	const struct report_run *r = &c->reading;
	struct ts_bytes *out = &c->output.text;

	if (report_run_has_several(r))
		print_capture_name(r->capture.path, NULL, out);
	print_header(&r->capture, out);
	for (size_t i = 0; i < r->join.nr; i++) {
		print_capture_name(r->join.items[i].capture.path, NULL, out);
		print_header(&r->join.items[i].capture, out);
	}
}

/* Prints warnings before the rows, and before the message of a failure. */
static int count_capture(struct command *c, struct ts_error *err)
{
	struct report_run *r = &c->reading;
	int rc = report_run_load(r, err);

	print_reading_warnings(r);
	if (!rc)
		rc = report_options_draw(&c->options) ? report_run_stacks(r, err)
						      : report_run_count(r, err);
	print_reading_warnings(r);
	return rc;
}

static int draw_graph(struct command *c, struct ts_error *err)
{
	struct report_run *r = &c->reading;
	int rc = report_picture_choose(&c->picture, r, err);

	c->is_empty = !rc && !report_picture_has_samples(&c->picture);
	if (rc || c->is_empty)
		return rc;
	rc = report_head_open(&c->head, r, err);
	return rc ? rc : report_picture_draw(&c->picture, r, &c->head, err);
}

static int write_page(struct command *c, struct ts_error *err)
{
	struct report_run *r = &c->reading;
	int rc = report_page_list(&c->page, r, err);

	c->is_empty = !rc && !report_page_has_samples(&c->page);
	if (rc || c->is_empty)
		return rc;
	rc = report_head_open(&c->head, r, err);
	return rc ? rc : report_page_write(&c->page, r, &c->head, err);
}

/* Names that are missing for want of memory would be wrong in a picture that stays: none is made. */
static int draw_picture(struct command *c, struct ts_error *err)
{
	int rc = report_run_check(&c->reading, err);

	if (rc)
		return rc;
	return c->options.picture.is_page ? write_page(c, err) : draw_graph(c, err);
}

static int open_picture(struct command *c, struct ts_error *err)
{
	return c->options.picture.is_page ? report_page_open(&c->page, &c->reading, err)
					  : report_picture_open(&c->picture, &c->reading, err);
}

static int run_picture(struct command *c, struct ts_error *err)
{
	int rc = report_run_open(&c->reading, &c->options, &c->session.memory, &c->session.progress,
				 c->session.nr_workers, err);

	if (!rc)
		rc = open_picture(c, err);
	if (!rc)
		rc = count_capture(c, err);
	return rc ? rc : draw_picture(c, err);
}

static void say_page(const struct command *c)
{
	const struct report_page *p = &c->page;
	char size[TS_UNITS_TEXT];

	if (p->is_written && !p->file.to_stdout)
		ts_log_note("%s: %" PRIu64 " samples, %s; any browser opens it", p->file.path,
			    p->samples.nr, ts_units_format_size(size, p->summary.bytes));
}

static void say_picture(const struct command *c)
{
	const struct report_picture *p = &c->picture;

	if (!p->is_drawn)
		return;
	if (!p->file.to_stdout)
		ts_log_note("%s: %zu stacks of %s; a browser opens it", p->file.path, p->paths.nr,
			    p->event);
	if (p->nr_others)
		ts_log_note("only %s is drawn; other events with samples: %" PRIu32
			    "; -e names one",
			    p->event, p->nr_others);
}

static int run_report(struct command *c, struct ts_error *err)
{
	const struct report_options *o = &c->options;
	int rc = report_run_open(&c->reading, o, &c->session.memory, &c->session.progress,
				 c->session.nr_workers, err);

	if (rc)
		return rc;
	if (o->header)
		print_headers(c);
	else if (!o->quiet && !o->json)
		ts_bytes_printf(&c->output.text, "# To display the perf.data header info, please "
						 "use --header/--header-only options.\n#\n");
	rc = count_capture(c, err);
	if (!rc)
		rc = print_events(c, err);
	return rc ? rc : report_output_flush(&c->output, err);
}

static void say_killed(const struct command *c)
{
	const struct capture *capture = &c->reading.capture;

	if (c->followed.was_running && !capture->is_running &&
	    !c->head.items[0].account.is_complete)
		ts_log_note("the recorder of %s was killed: only the records written until then "
			    "are shown",
			    capture->path);
}

/* Prints rows for all captures together. */
static int print_joined(struct command *c, uint64_t *ret_nr_damaged, struct ts_error *err)
{
	const struct report_run *r = &c->reading;
	int rc;

	report_output_watch(&c->output);
	rc = report_options_draw(&c->options) ? run_picture(c, err) : run_report(c, err);
	report_output_unwatch(&c->output);
	if (rc && rc != -EPIPE)
		return rc;
	*ret_nr_damaged = print_reading(&c->reading);
	if (c->is_empty)
		print_reading_empty(&c->reading);
	say_picture(c);
	say_page(c);
	say_killed(c);
	print_reads(&r->chunks);
	for (size_t i = 0; i < r->join.nr; i++)
		print_reads(&r->join.items[i].chunks);
	return rc ? rc : report_run_check(r, err);
}

/* Prints everything else than rows, once per capture. */
static int print_each(struct command *c, uint64_t *ret_nr_damaged, struct ts_error *err)
{
	const struct sections_plan plan = {&c->options, c->session.nr_workers, &c->session.memory,
					   &c->output};

	return print_sections(&plan, ret_nr_damaged, err);
}

/*
 * Follows the capture until its recording ends. Returns 0: the report must be printed; 1: the rows
 * on the screen are the report.
 */
static int follow_capture(struct command *c, struct ts_error *err)
{
	int rc;

	session_watch(&c->session, false);
	rc = report_follow(&c->options, &c->session.memory, &c->session.progress,
			   c->session.nr_workers, &c->followed, err);
	session_unwatch(&c->session);
	if (rc)
		return rc;
	if (progress_is_stopped(&c->session.progress) && c->followed.was_shown)
		return 1;
	/* ^C may have ended the following; the next ^C stops the report. */
	return session_restart(&c->session, err);
}

/* Prints the last messages and returns the exit status. */
static int finish_report(struct command *c, int rc, uint64_t nr_damaged, struct ts_error *err)
{
	int status = nr_damaged || (c->is_empty && report_options_draw(&c->options)) ? 1 : 0;

	if (rc == -ENOMEM)
		memory_failed(&c->session.memory, err);
	if (!rc || rc == -EPIPE)
		print_memory(&c->session.memory);
	report_output_end(&c->output);
	if (rc && rc != -EPIPE) {
		ts_log_error(err);
		status = c->reading.is_misuse || c->followed.is_misuse ? TS_STATUS_MISUSE : 1;
	}
	return progress_is_stopped(&c->session.progress) ? INTERRUPT_STATUS : status;
}

static void release_command(struct command *c)
{
	report_picture_release(&c->picture);
	report_page_release(&c->page);
	report_head_close(&c->head);
	report_run_close(&c->reading);
	report_output_release(&c->output);
	session_end(&c->session);
	report_options_release(&c->options);
}

int cmd_report(int argc, char **argv)
{
	struct command c = {.picture = REPORT_PICTURE_NONE, .page = REPORT_PAGE_NONE};
	struct ts_error err;
	uint64_t nr_damaged = 0;
	int status, rc;

	report_options_init(&c.options);
	status = ts_print_command(&cmd_report_line, &c.options, argc, argv);
	if (status != TS_COMMAND_GOES_ON) {
		report_options_release(&c.options);
		return status;
	}
	if (!interrupt_thread_is_unwanted())
		signal(SIGINT, stop_following);
	rc = session_begin(&c.session, c.options.mem_limit, c.options.nr_jobs,
			   session_level(c.options.quiet, c.options.verbose), &err);
	symbol_places_settle(&c.options.places);
	debug_server_watch(c.options.places.server, &c.session.progress);
	c.output.progress = &c.session.progress;
	c.output.draws = isatty(STDERR_FILENO) && !c.options.quiet;
	c.output.goes_on = c.options.dump;
	if (!rc && c.options.follow)
		rc = follow_capture(&c, &err);
	if (!rc)
		rc = print_sections_wanted(&c.options) ? print_each(&c, &nr_damaged, &err)
						       : print_joined(&c, &nr_damaged, &err);
	status = rc > 0 ? 0 : finish_report(&c, rc, nr_damaged, &err);
	release_command(&c);
	return status;
}
