// SPDX-License-Identifier: Apache-2.0
#include "reader/export/cmd_export_copy.h"

#include <inttypes.h>

#include "common/base/log.h"
#include "reader/capture/capture.h"
#include "reader/commands/print_memory.h"
#include "reader/commands/result_file.h"
#include "reader/commands/session.h"
#include "reader/merge/merge.h"
#include "reader/merge/print_merge_damage.h"

struct copy {
	const struct export_options *options;
	const char *capture;
	struct session session;
	struct result_file result;
	struct merge merge; /* of one part */
};

static int open_result(struct copy *c, struct ts_error *err)
{
	const struct export_options *o = c->options;

	return result_file_open_copy(&c->result, o->output, c->capture, o->format->suffix,
				     o->is_forced, err);
}

static int write_result(struct copy *c, struct ts_error *err)
{
	struct merge *m = &c->merge;
	int rc = merge_note_progress(m, 0, err); /* if stopped, the table is incomplete */

	if (!rc)
		rc = merge_choose_chunks(m, err);
	if (!rc)
		rc = merge_gather_data(m, err);
	if (!rc)
		rc = merge_single(m, c->result.file.fd, c->result.path, err);
	if (!rc)
		rc = merge_note_progress(m, 0, err);
	return rc ? rc : result_file_publish(&c->result, err);
}

static int copy_capture(struct copy *c, struct ts_error *err)
{
	struct session *s = &c->session;
	int rc = 0;

	c->capture = c->options->report.inputs[0];
	if (!c->capture)
		rc = capture_find_usual(&c->capture, err);
	if (!rc)
		rc = open_result(c, err);
	if (!rc)
		rc = merge_open_to(&c->merge, "export", &c->capture, 1, s->nr_workers, &s->memory,
				   &s->progress, err);
	return rc ? rc : write_result(c, err);
}

static void say_result(const struct copy *c)
{
	ts_log_note("%s: %" PRIu64 " records; %s", c->result.path,
		    c->merge.nr_records + c->merge.nr_data, c->options->format->opener);
	print_memory(&c->session.memory);
}

static int run_and_say(struct copy *c)
{
	struct ts_error err;
	int status, rc;

	session_watch(&c->session, !c->options->report.quiet);
	rc = copy_capture(c, &err);
	session_unwatch(&c->session);
	status = print_merge_damage(&c->merge, rc, &err);
	if (!rc && print_earlier_damage(&c->merge))
		status = 1;
	if (!rc)
		say_result(c);
	return status;
}

int cmd_export_copy(const struct export_options *options)
{
	const struct report_options *o = &options->report;
	struct copy c = {.options = options, .result = RESULT_FILE_NONE};
	struct ts_error err;
	int status = 1;

	if (session_begin(&c.session, o->mem_limit, o->nr_jobs, session_level(o->quiet, o->verbose),
			  &err))
		ts_log_error(&err);
	else
		status = run_and_say(&c);
	result_file_release(&c.result);
	merge_close(&c.merge);
	session_end(&c.session);
	return status;
}
