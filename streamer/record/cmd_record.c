// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/cmd_record.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "common/base/environment.h"
#include "common/base/log.h"
#include "common/options/print_command.h"
#include "streamer/control/control_socket.h"
#include "streamer/plan/print_record_plan.h"
#include "streamer/plan/record_options.h"
#include "streamer/plan/record_plan.h"
#include "streamer/record/daemon.h"
#include "streamer/record/hold_check.h"
#include "streamer/record/print_summary.h"
#include "streamer/record/record_loop.h"
#include "streamer/recording/recording.h"
#include "streamer/watch/perf_control.h"
#include "streamer/watch/watch.h"

#define EXIT_USAGE 2

struct channels { /* the ways for commands from outside */
	struct perf_control control;
	struct control_socket socket;
	struct daemon daemon;
};

struct outcome { /* how the recording ended, for the exit status */
	bool failed;
	int signal; /* the signal that asked to end; 0: none */
	bool has_command;
	int command_status;
};

static int tell_failure(const struct ts_error *err)
{
	if (err->code)
		ts_log_error(err);
	return err->code == EINVAL || !err->code ? EXIT_USAGE : EXIT_FAILURE;
}

/* Ends after which the command goes on. */
static bool spares_command(enum record_end end)
{
	return end == RECORD_END_FAILURE || end == RECORD_END_MIN_FREE;
}

/* After the recording: terminates the command if it must end, too, and waits for it. */
static void finish_command(struct recording *r, struct watch *w, enum record_end end,
			   struct outcome *outcome)
{
	struct ts_error err;
	int ended;

	if (!r->workload.executed)
		return;
	if (spares_command(end) && !workload_has_ended(&r->workload))
		ts_log_note("the recording has ended; the command keeps running");
	if (!spares_command(end))
		workload_terminate(&r->workload);
	while (!(ended = record_wait_for_command(r, w, &err))) {
		outcome->signal = w->signal;
		workload_terminate(&r->workload);
	}
	if (ended < 0) {
		ts_log_error(&err);
		outcome->failed = true;
		return;
	}
	outcome->has_command = true;
	outcome->command_status = workload_exit_status(&r->workload);
}

/* Stops the capture. Logs the error that ended the loop, and an error of the stop. */
static void stop_recording(struct recording *r, enum record_end end, struct ts_error *err,
			   struct outcome *outcome)
{
	if (end == RECORD_END_MIN_FREE) {
		ts_log_error(err);
		*err = (struct ts_error){.code = 0};
		outcome->failed = true;
	}
	r->part.ended_by = record_end_name(end);
	if (recording_stop(r, err) < 0) {
		ts_log_error(err);
		outcome->failed = true;
	} else if (r->rotation.has_failed) {
		outcome->failed = true;
	} else if (end == RECORD_END_MIN_FREE) {
		ts_log_note("the recording was stopped, and the capture is complete");
	}
}

/* -M: saves the held segments, however the recording ended. */
static void save_history(struct recording *r, enum record_end end, struct outcome *outcome)
{
	struct ts_error err;

	if (r->history.is_on)
		ts_dir_unlock(&r->part.dir);
	if (memory_segments_finish(&r->history, &r->rotation.kept, r->plan->options,
				   end == RECORD_END_COMBINE, &r->hook, r->notes, &err) < 0) {
		ts_log_error(&err);
		outcome->failed = true;
	}
	outcome->failed |= r->history.has_failed;
}

/* --archive: a directory without a stamp was not archived yet. */
static void archive_last(struct recording *r)
{
	const char *finished = r->rotation.finished;

	if (!r->plan->options->archives || r->plan->drops_output || r->history.is_on ||
	    (finished && !strcmp(finished, r->part.dir.path)))
		return;
	ts_dir_unlock(&r->part.dir);
	on_snapshot_archive(&r->hook, r->part.dir.path, r->notes);
}

/* No sample was recorded: leaves nothing behind. */
static void withdraw_capture(struct recording *r, const struct ts_error *err,
			     struct outcome *outcome)
{
	recording_withdraw(r);
	on_snapshot_finish(&r->hook, r->notes);
	record_print_notes(r->notes);
	ts_log_error(err);
	outcome->failed = true;
}

static void run_recording(struct recording *r, struct watch *w, struct channels *c,
			  struct outcome *outcome)
{
	enum record_end end = RECORD_END_FAILURE;
	struct ts_error err = {0};

	if (recording_start(r, &err) < 0) {
		workload_terminate(&r->workload);
		if (!r->part.start_ns) {
			withdraw_capture(r, &err, outcome);
			return;
		}
	} else {
		record_print_notes(r->notes);
		daemon_ready(&c->daemon);
		end = record_loop(r, w, &c->control, &c->socket, &err);
	}
	if (end == RECORD_END_SIGNAL)
		outcome->signal = w->signal;
	stop_recording(r, end, &err, outcome);
	save_history(r, end, outcome);
	archive_last(r);
	on_snapshot_finish(&r->hook, r->notes);
	record_print_notes(r->notes);
	print_summary(r);
	finish_command(r, w, end, outcome);
}

static bool switches_output(const struct record_plan *plan)
{
	return plan->options->switch_output.is_on || plan->options->memory.is_on ||
	       record_plan_overwrites(plan);
}

/* Opens the socket, if the user wants one, or if there will be something to ask for. */
static int open_socket(struct control_socket *socket, const struct record_plan *plan,
		       struct ts_notes *notes, struct ts_error *err)
{
	const struct record_options *o = plan->options;
	char *path = o->socket ? strdup(o->socket) : control_socket_path(o->output);
	int code;

	if (!o->socket && ((!switches_output(plan) && !o->is_daemon) || plan->drops_output)) {
		free(path);
		return 0;
	}
	code = path ? control_socket_open(socket, path, err)
		    : ts_error_sys(err, ENOMEM, "cannot record");
	free(path);
	if (code == 0 || o->socket)
		return code;
	if (code == -EADDRINUSE) { /* with -M nothing at OUT shows another recorder */
		ts_error_set(err, EADDRINUSE,
			     "cannot record into %s: another recorder is recording there",
			     o->output);
		return ts_error_hint(err,
				     "see 'tstream ctl %s status', or name another output with -o",
				     o->output);
	}
	ts_notes_add(notes, "%s: tstream ctl cannot reach this recording", err->text);
	return 0;
}

static int open_channels(struct channels *c, const struct record_plan *plan, struct ts_notes *notes,
			 struct ts_error *err)
{
	const struct record_options *o = plan->options;
	int code;

	c->control = (struct perf_control){.command_fd = -1, .ack_fd = -1};
	c->socket = (struct control_socket){.epoll_fd = -1, .listen_fd = -1};
	code = o->control ? perf_control_open(&c->control, o->control, err) : 0;
	return code < 0 ? code : open_socket(&c->socket, plan, notes, err);
}

static void close_channels(struct channels *c)
{
	perf_control_close(&c->control);
	control_socket_close(&c->socket);
}

/* From the plan to the end of the capture. */
static int record_capture(struct record_plan *plan, int argc, char **argv,
			  const struct caller_state *caller, struct ts_notes *notes,
			  struct daemon daemon, struct outcome *outcome)
{
	struct watch watch = {.signal_fd = -1};
	struct recording recording = {0};
	struct channels channels = {.daemon = daemon};
	struct ts_error err = {0};

	if (open_channels(&channels, plan, notes, &err) < 0 || watch_open(&watch, &err) < 0 ||
	    (switches_output(plan) && watch_switches(&watch, &err) < 0) ||
	    recording_open(&recording, plan, argc, argv, caller, notes, &err) < 0) {
		record_print_notes(notes);
		ts_log_error(&err);
		outcome->failed = true;
	} else {
		watch.failure_fd = recording.crew.failure.fd;
		watch.limit_fd = recording.crew.limit.reached.fd;
		watch.supply_fd = recording.crew.supply.fd;
		watch.gap_fd = recording.crew.gap.seen.fd;
		watch.files_fd = recording.crew.file_ids.fd;
		watch.control_fd = channels.control.command_fd;
		watch.socket_fd = channels.socket.epoll_fd;
		watch.cpus_fd = recording.hotplug.fd;
		watch.switch_fd =
			recording.rotation.is_on ? recording.rotation.size.reached.fd : -1;
		watch.targets_fd = recording.lifeline.epoll_fd;
		triggers_watch(&recording.triggers, &watch);
		record_print_notes(notes);
		print_writers_open(&recording.crew);
		run_recording(&recording, &watch, &channels, outcome);
	}
	recording_close(&recording);
	watch_close(&watch);
	close_channels(&channels);
	return outcome->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/*
 * The command's own status goes first. A capture that was stopped by a signal dies of it, as perf
 * does.
 */
static int exit_status(const struct outcome *outcome, int code)
{
	if (outcome->has_command && outcome->command_status)
		return outcome->command_status;
	if (!outcome->failed && outcome->signal && !outcome->has_command) {
		prctl(PR_SET_DUMPABLE, 0); /* SIGQUIT makes no core: there is nothing to debug */
		signal(outcome->signal, SIG_DFL);
		raise(outcome->signal);
	}
	return code;
}

static int check_inputs(const struct record_options *o, char *const *environment,
			struct ts_error *err)
{
	int code = o->command ? workload_check(o->command[0], environment, err) : 0;

	if (code == -ENOENT)
		record_options_explain_command(o, err);
	if (!code && o->on_snapshot &&
	    (code = workload_check(o->on_snapshot, environment, err)) < 0)
		ts_error_hint(err, "give --on-snapshot one program: it gets the path of the "
				   "directory as its only argument");
	if (code || !strcmp(o->output, "/dev/null"))
		return code;
	code = ts_dir_check(o->output, err);
	return code ? code : hold_check_free(o->output, err);
}

static int print_and_release(struct record_plan *plan)
{
	print_record_plan(plan, stdout);
	record_plan_release(plan);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int plan_and_record(struct record_options *o, int argc, char **argv,
			   char *const *environment)
{
	struct caller_state caller = {.environment = environment};
	struct outcome outcome = {.failed = false};
	struct daemon daemon = DAEMON_INIT;
	struct record_plan plan = {0};
	struct ts_error err = {0};
	int status, code;

	if (check_inputs(o, environment, &err) < 0 ||
	    record_plan_init(&plan, o, &o->notes, &err) < 0) {
		record_print_notes(&o->notes);
		return tell_failure(&err);
	}
	record_print_notes(&o->notes);
	if (ts_log_enabled(TS_LOG_DEBUG))
		print_record_attrs(&plan, stderr);
	if (o->dry_run)
		return print_and_release(&plan);
	code = o->is_daemon ? daemon_begin(&daemon, o->output, &status, &err) : 1;
	if (code <= 0) {
		record_plan_release(&plan);
		return code < 0 ? tell_failure(&err) : status;
	}
	plan.log_fd = daemon.log_fd;
	code = watch_block_signals(&caller, &err) < 0
		       ? tell_failure(&err)
		       : record_capture(&plan, argc, argv, &caller, &o->notes, daemon, &outcome);
	record_plan_release(&plan);
	watch_restore_signals(&caller);
	return exit_status(&outcome, code);
}

/* The whole command line, for HEADER_CMDLINE; the caller frees the array. */
static char **whole_command_line(int argc, char **argv)
{
	char **whole = calloc((size_t)argc + 2, sizeof(*whole));

	if (!whole)
		return NULL;
	whole[0] = program_invocation_name;
	memcpy(whole + 1, argv, (size_t)argc * sizeof(*argv));
	return whole;
}

int cmd_record(int argc, char **argv)
{
	char *const *environment = ts_environment_of_caller(argc, argv);
	char **whole = whole_command_line(argc, argv);
	struct record_options options;
	struct ts_error err = {0};
	int status;

	if (!whole) {
		ts_error_sys(&err, ENOMEM, "cannot record");
		return tell_failure(&err);
	}
	if (record_options_read(&options, argc, argv, &err) < 0) {
		status = tell_failure(&err);
	} else if (options.help) {
		status = ts_print_command_help(&cmd_record_line);
	} else {
		ts_log_set_level(options.level);
		status = plan_and_record(&options, argc + 1, whole, environment);
	}
	record_options_release(&options);
	free(whole);
	return status;
}
