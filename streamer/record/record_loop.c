// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/record_loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "streamer/control/cut_request.h"
#include "streamer/record/status_line.h"
#include "common/base/min_max.h"
#include "common/base/units.h"

#define COMMANDS_AT_ONCE 64 /* after so many, main looks at signals again */

/* Prints the answer to a --control command on stderr, as perf does. */
static void say_answer(const struct control_answer *a)
{
	char *line, *rest = a->text;

	if (a->err.code)
		ts_log_error(&a->err);
	while (rest && *rest && (line = strsep(&rest, "\n")) != NULL) {
		if (a->is_data)
			ts_log_say(TS_LOG_NORMAL, "%s", line);
		else
			ts_log_note("%s", line);
	}
	if (a->awaited)
		ts_log_note("%s is being written", a->awaited);
}

/* After a command: true if the recording goes on. False: it ends, *ret_end has the kind of end. */
static bool goes_on(struct control_answer *a, enum record_end *ret_end, struct ts_error *err)
{
	free(a->text);
	*ret_end = RECORD_END_CONTROL;
	if (a->ends && a->err.code) {
		*err = a->err;
		*ret_end = RECORD_END_FAILURE;
	}
	return !a->ends;
}

/* Serves the commands that have come on --control. */
static bool serve_control(struct recording *r, struct watch *w, struct perf_control *control,
			  enum record_end *ret_end, struct ts_error *err)
{
	char line[CONTROL_LINE_BYTES], argument[CONTROL_LINE_BYTES];
	struct control_answer answer;
	enum control_verb verb;

	for (int i = 0; i < COMMANDS_AT_ONCE; i++) {
		switch (perf_control_next(control, ts_clock_now_ns(), line)) {
		case PERF_CONTROL_NOTHING:
			return true;
		case PERF_CONTROL_HUNG_UP:
			perf_control_close(control);
			w->control_fd = -1;
			return true;
		case PERF_CONTROL_LINE:
			break;
		}
		verb = control_verb_parse(line, argument);
		if (verb == CONTROL_UNKNOWN) /* ignored and not acknowledged, as in perf */
			continue;
		r->asked_ns = ts_clock_now_ns();
		control_serve(r, verb, argument, &answer);
		say_answer(&answer);
		perf_control_acknowledge(control);
		if (!goes_on(&answer, ret_end, err))
			return false;
	}
	return true;
}

/* The same on the socket; the peer gets the answer. */
static bool serve_socket(struct recording *r, struct control_socket *socket,
			 enum record_end *ret_end, struct ts_error *err)
{
	char line[CONTROL_LINE_BYTES], argument[CONTROL_LINE_BYTES];
	struct control_answer answer;
	int peer;

	for (int i = 0; i < COMMANDS_AT_ONCE; i++) {
		peer = control_socket_next(socket, line);
		if (peer < 0)
			return true;
		r->asked_ns = ts_clock_now_ns();
		control_serve(r, control_verb_parse(line, argument), argument, &answer);
		control_socket_answer(socket, peer, &answer);
		if (!goes_on(&answer, ret_end, err))
			return false;
	}
	return true;
}

const char *record_end_name(enum record_end end)
{
	static const char *const names[] = {
		[RECORD_END_COMMAND] = "command",   [RECORD_END_TARGETS] = "targets",
		[RECORD_END_SIGNAL] = "signal",	    [RECORD_END_CONTROL] = "control",
		[RECORD_END_COMBINE] = "signal",    [RECORD_END_DEAD_MAN] = "dead-man",
		[RECORD_END_TRIGGER] = "trigger",   [RECORD_END_MAX_SIZE] = "max-size",
		[RECORD_END_MIN_FREE] = "min-free", [RECORD_END_FAILURE] = NULL,
	};

	return names[end];
}

static void note_limit(const struct size_limit *limit)
{
	char size[TS_UNITS_TEXT];

	ts_log_note("--max-size is reached, %s are written: the recording ends",
		    ts_units_format_size(size, size_limit_bytes(limit)));
}

void record_print_notes(struct ts_notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		ts_log_note("%s", notes->items[i]);
	ts_notes_release(notes);
}

/* When the recording ends because no command has come for so long; TS_TIME_NEVER. */
static uint64_t dead_man_ns(const struct recording *r)
{
	uint64_t ns = r->plan->options->dead_man_ns;

	return ns ? r->asked_ns + ns : TS_TIME_NEVER;
}

/*
 * Waits for the next event. Draws the status line meanwhile, and erases it before anything is
 * printed.
 */
static int next_event(struct recording *r, struct watch *w, const struct perf_control *control,
		      struct status_line *status, uint64_t enable_ns, struct ts_error *err)
{
	uint64_t due_ns = ts_min(enable_ns, ts_min(r->part.disk.next_ns, r->cpus_look_ns));
	int event;

	due_ns = ts_min(due_ns, ts_min(r->rotation.due_ns, dead_man_ns(r)));
	due_ns = ts_min(due_ns, ts_min(r->triggers.due_ns, perf_control_due_ns(control)));
	due_ns = ts_min(due_ns, ts_min(r->names.due_ns, r->files_look_ns));
	w->saved_fd = r->history.is_on ? r->history.runner.fd : -1;
	event = watch_next(w, ts_min(due_ns, status->next_ns), err);

	if (event == WATCH_DEADLINE)
		status_line_draw(status, r);
	else
		status_line_erase(status);
	return event;
}

/* False: the cut failed in the middle, and the recording ends. */
static bool switch_output(struct recording *r, const struct cut_cause *cause, struct ts_error *err)
{
	if (!r->rotation.is_on) /* -o /dev/null */
		return true;
	switch (cut_request_make(r, cause, err)) {
	case CUT_REQUEST_MADE:
		return true;
	case CUT_REQUEST_REFUSED:
		ts_log_error(err);
		*err = (struct ts_error){.code = 0};
		return true;
	default:
		return false;
	}
}

static bool switch_by_size(struct recording *r, struct ts_error *err)
{
	const struct cut_cause cause = {.kind = CUT_BY_SIZE};

	return switch_output(r, &cause, err);
}

static bool switch_by_signal(struct recording *r, const struct watch *w, enum record_end *ret_end,
			     struct ts_error *err)
{
	const struct cut_cause cause = {
		.kind = CUT_BY_SIGNAL, .what = w->switch_signal == SIGUSR1 ? "SIGUSR1" : "SIGUSR2"};

	*ret_end = RECORD_END_COMBINE;
	if (r->history.is_on && w->switch_signal == SIGUSR2)
		return false;
	*ret_end = RECORD_END_FAILURE;
	return switch_output(r, &cause, err);
}

/* The time of a trigger has come. */
static bool act_on_trigger(struct recording *r, enum record_end *ret_end, struct ts_error *err)
{
	triggers_clear_due(&r->triggers);
	if (r->triggers.action == TRIGGER_STOP) {
		ts_log_note("%s: the recording ends", r->triggers.cause.what);
		*ret_end = RECORD_END_TRIGGER;
		return false;
	}
	return switch_output(r, &r->triggers.cause, err);
}

/* Serves everything that is due. */
static bool serve_deadline(struct recording *r, uint64_t *enable_ns, enum record_end *ret_end,
			   struct ts_error *err)
{
	const struct cut_cause cause = {.kind = CUT_BY_TIME};
	uint64_t now_ns = ts_clock_now_ns();

	*ret_end = RECORD_END_FAILURE;
	if (now_ns >= r->rotation.due_ns && !switch_output(r, &cause, err))
		return false;
	if (now_ns >= r->triggers.due_ns && !act_on_trigger(r, ret_end, err))
		return false;
	if (now_ns >= *enable_ns) {
		struct control_answer answer;

		*enable_ns = TS_TIME_NEVER;
		control_serve(r, CONTROL_ENABLE, "", &answer);
		say_answer(&answer);
		free(answer.text);
	}
	*ret_end = RECORD_END_DEAD_MAN;
	return now_ns < dead_man_ns(r);
}

/* Between two events: collects finished snapshots and programs, and prints the notes. */
static int look_around(struct recording *r, struct status_line *status, struct ts_error *err)
{
	int code = recording_look_at_disk(r, err);

	if (code >= 0)
		code = recording_look_at_files(r, err);

	recording_look_at_cpus(r);
	names_again_look(&r->names);
	memory_segments_collect(&r->history, &r->rotation.kept, &r->hook, r->notes);
	on_snapshot_collect(&r->hook, r->notes);
	if (r->notes->nr)
		status_line_erase(status);
	record_print_notes(r->notes);
	return code;
}

static enum record_end run_loop(struct recording *r, struct watch *w, struct perf_control *control,
				struct control_socket *socket, struct status_line *status,
				struct ts_error *err)
{
	int64_t delay_ms = r->plan->options->delay_ms;
	uint64_t enable_ns = TS_TIME_NEVER;
	enum record_end end;

	r->asked_ns = ts_clock_now_ns();
	if (delay_ms > 0)
		enable_ns = ts_clock_now_ns() + (uint64_t)delay_ms * TS_NS_PER_MS;
	for (;;) {
		int code = look_around(r, status, err);

		if (code < 0)
			return code == -ENOSPC ? RECORD_END_MIN_FREE : RECORD_END_FAILURE;
		switch (next_event(r, w, control, status, enable_ns, err)) {
		case WATCH_SIGNAL:
			return RECORD_END_SIGNAL;
		case WATCH_FAILURE:
			return RECORD_END_FAILURE;
		case WATCH_LIMIT:
			note_limit(&r->crew.limit);
			return RECORD_END_MAX_SIZE;
		case WATCH_CHILD:
			if (workload_has_ended(&r->workload))
				return RECORD_END_COMMAND;
			break;
		case WATCH_TARGETS:
			if (target_life_is_over(&r->lifeline))
				return RECORD_END_TARGETS;
			break;
		case WATCH_CPUS:
			r->cpus_look_ns = 0;
			break;
		case WATCH_SUPPLY:
			buffer_supply_serve(&r->crew.supply);
			break;
		case WATCH_CONTROL:
			if (!serve_control(r, w, control, &end, err))
				return end;
			break;
		case WATCH_SOCKET:
			if (!serve_socket(r, socket, &end, err))
				return end;
			break;
		case WATCH_SAVED:
		case WATCH_GAP:
			break; /* collected before the next wait */
		case WATCH_FILES:
			r->files_look_ns = 0;
			break;
		case WATCH_MORE:
			triggers_take(&r->triggers, w,
				      r->rotation.is_on ? &r->rotation.clock : NULL);
			break;
		case WATCH_SWITCH:
			if (!switch_by_signal(r, w, &end, err))
				return end;
			break;
		case WATCH_SIZE:
			if (!switch_by_size(r, err))
				return RECORD_END_FAILURE;
			break;
		case WATCH_DEADLINE:
			if (!serve_deadline(r, &enable_ns, &end, err) ||
			    (ts_clock_now_ns() >= perf_control_due_ns(control) &&
			     !serve_control(r, w, control, &end, err)))
				return end;
			break;
		default:
			return RECORD_END_FAILURE;
		}
	}
}

static void tell_asker(void *socket, const char *path, bool is_complete)
{
	control_socket_tell(socket, path, is_complete);
}

enum record_end record_loop(struct recording *r, struct watch *w, struct perf_control *control,
			    struct control_socket *socket, struct ts_error *err)
{
	struct status_line status;
	enum record_end end;

	if (socket->epoll_fd >= 0) {
		r->history.tell = tell_asker;
		r->history.whom = socket;
	}
	status_line_start(&status);
	end = run_loop(r, w, control, socket, &status, err);
	status_line_erase(&status);
	return end;
}

int record_wait_for_command(struct recording *r, struct watch *w, struct ts_error *err)
{
	w->signal = 0;
	while (r->workload.pid && !workload_has_ended(&r->workload)) {
		int event = watch_next_signal(w, err);

		if (event < 0)
			return event;
		if (event == WATCH_SIGNAL)
			return 0;
	}
	return 1;
}
