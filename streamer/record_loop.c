// SPDX-License-Identifier: Apache-2.0
#include "streamer/record_loop.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "streamer/status_line.h"
#include "common/number.h"
#include "common/units.h"

/* evlist: names, with -v and -F what the kernel was asked for. */
static void print_events(const struct source *source, const char *argument)
{
	bool verbose = !strcmp(argument, "-v"), freq = !strcmp(argument, "-F");

	if (*argument && !verbose && !freq && strcmp(argument, "-g")) {
		ts_note("failed: wrong command");
		return;
	}
	for (size_t i = 0; i + 1 < source->nr_attrs; i++) { /* but for the side-band dummy */
		const struct perf_event_attr *a = &source->attrs[i];

		if (verbose)
			ts_say(TS_LOG_NORMAL,
			       "%s: type: %u, size: %u, config: 0x%llx, { sample_period, "
			       "sample_freq }: %llu, sample_type: 0x%llx, read_format: 0x%llx",
			       source->names[i], a->type, a->size, (unsigned long long)a->config,
			       (unsigned long long)a->sample_period,
			       (unsigned long long)a->sample_type,
			       (unsigned long long)a->read_format);
		else if (freq)
			ts_say(TS_LOG_NORMAL, "%s: %s=%llu", source->names[i],
			       a->freq ? "sample_freq" : "sample_period",
			       (unsigned long long)a->sample_period);
		else
			ts_say(TS_LOG_NORMAL, "%s", source->names[i]);
	}
}

static void switch_events(struct recording *r, bool on, const char *event)
{
	const char *name = *event ? event : NULL;
	struct ts_error err;
	int code = on ? recording_enable(r, name, &err) : recording_disable(r, name, &err);

	if (code == -ENOENT)
		ts_note("failed: can't find '%s' event", event);
	else if (code < 0)
		ts_log_error(&err);
	else if (name)
		ts_note("Event %s %s", name, on ? "enabled" : "disabled");
	else
		ts_note("Events %s", on ? "enabled" : "disabled");
}

#define COMMANDS_AT_ONCE 64 /* who sends more must not keep main from signals */

/* Serves what is there. True when told to stop. */
static bool serve(struct recording *r, struct watch *w, struct control *control)
{
	char argument[CONTROL_LINE_BYTES];

	for (int i = 0; i < COMMANDS_AT_ONCE; i++) {
		enum control_verb verb = control_next(control, argument);

		switch (verb) {
		case CONTROL_NONE:
			return false;
		case CONTROL_CLOSED:
			control_close(control);
			w->control_fd = -1;
			return false;
		case CONTROL_UNKNOWN:
			continue;
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			switch_events(r, verb == CONTROL_ENABLE, argument);
			break;
		case CONTROL_EVLIST:
			print_events(&r->plan->source, argument);
			break;
		case CONTROL_PING:
		case CONTROL_STOP:
			break;
		}
		control_acknowledge(control);
		if (verb == CONTROL_STOP)
			return true;
	}
	return false;
}

const char *record_end_name(enum record_end end)
{
	static const char *const names[] = {
		[RECORD_END_COMMAND] = "command",   [RECORD_END_TARGETS] = "targets",
		[RECORD_END_SIGNAL] = "signal",	    [RECORD_END_CONTROL] = "control",
		[RECORD_END_COMBINE] = "signal",    [RECORD_END_MAX_SIZE] = "max-size",
		[RECORD_END_MIN_FREE] = "min-free", [RECORD_END_FAILURE] = NULL,
	};

	return names[end];
}

static void note_limit(const struct recording *r)
{
	char size[TS_UNITS_TEXT];

	ts_note("--max-size is reached, %s are written: the recording ends",
		ts_format_size(size, size_limit_bytes(&r->limit)));
}

void print_notes(struct ts_notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		ts_note("%s", notes->items[i]);
	ts_notes_release(notes);
}

/* The status line is drawn meanwhile, and gone before anybody has something to say. */
static int next_event(struct recording *r, struct watch *w, struct status_line *status,
		      uint64_t enable_ns, struct ts_error *err)
{
	uint64_t due_ns = ts_min(enable_ns, ts_min(r->disk.next_ns, r->cpus_look_ns));
	int event;

	due_ns = ts_min(due_ns, r->rotation.due_ns);
	event = watch_next(w, ts_min(due_ns, status->next_ns), err);

	if (event == WATCH_DEADLINE)
		status_line_draw(status, r);
	else
		status_line_erase(status);
	return event;
}

/* With -M size and time end a segment, everything else asks for what is held. */
static bool is_snapshot(const struct recording *r, const struct cut_cause *cause)
{
	return r->history.is_on && cause->kind != CUT_BY_SIZE && cause->kind != CUT_BY_TIME;
}

/*
 * Goes on in another directory; where that cannot be begun, in the same. False: within it something
 * failed, and the recording ends.
 */
static bool switch_output(struct recording *r, const struct cut_cause *cause,
			  struct status_line *status, struct ts_error *err)
{
	uint32_t before = r->rotation.number;
	int code;

	if (!r->rotation.is_on) /* -o /dev/null */
		return true;
	code = rotation_cut(r, cause, err);
	status_line_erase(status);
	if (!code && is_snapshot(r, cause))
		code = history_save(&r->history, &r->rotation.kept, r->plan->options->output,
				    cause->name, err);
	if (code == -EBUSY || code == -EAGAIN)
		before = r->rotation.number; /* nothing but the snapshot failed */
	if (code < 0 && !r->rotation.is_cutting && r->rotation.number == before) {
		ts_log_error(err);
		*err = (struct ts_error){.code = 0};
		return true;
	}
	return code >= 0;
}

static enum record_end loop(struct recording *r, struct watch *w, struct control *control,
			    struct status_line *status, struct ts_error *err)
{
	int64_t delay_ms = r->plan->options->delay_ms;
	uint64_t enable_ns = TS_TIME_NEVER;
	struct cut_cause cause;

	if (delay_ms > 0)
		enable_ns = ts_now_ns() + (uint64_t)delay_ms * TS_NS_PER_MS;
	for (;;) {
		int code = recording_look_at_disk(r, err);

		recording_look_at_cpus(r);
		history_collect(&r->history, &r->rotation.kept, &r->hook, r->notes);
		hook_collect(&r->hook, r->notes);
		if (r->notes->nr)
			status_line_erase(status);
		print_notes(r->notes);

		if (code < 0)
			return code == -ENOSPC ? RECORD_END_MIN_FREE : RECORD_END_FAILURE;
		switch (next_event(r, w, status, enable_ns, err)) {
		case WATCH_SIGNAL:
			return RECORD_END_SIGNAL;
		case WATCH_FAILURE:
			return RECORD_END_FAILURE;
		case WATCH_LIMIT:
			note_limit(r);
			return RECORD_END_MAX_SIZE;
		case WATCH_CHILD:
			if (workload_has_ended(&r->workload))
				return RECORD_END_COMMAND;
			break;
		case WATCH_TARGETS:
			if (lifeline_is_over(&r->lifeline))
				return RECORD_END_TARGETS;
			break;
		case WATCH_CPUS:
			r->cpus_look_ns = 0;
			break;
		case WATCH_SUPPLY:
			supply_serve(&r->supply);
			break;
		case WATCH_CONTROL:
			if (serve(r, w, control))
				return RECORD_END_CONTROL;
			break;
		case WATCH_SAVED:
			break; /* it is collected before the next wait */
		case WATCH_SWITCH:
			if (r->history.is_on && w->switch_signal == SIGUSR2)
				return RECORD_END_COMBINE;
			cause = (struct cut_cause){.kind = CUT_BY_SIGNAL,
						   .what = w->switch_signal == SIGUSR1 ? "SIGUSR1"
										       : "SIGUSR2"};
			if (!switch_output(r, &cause, status, err))
				return RECORD_END_FAILURE;
			break;
		case WATCH_SIZE:
			cause = (struct cut_cause){.kind = CUT_BY_SIZE};
			if (!switch_output(r, &cause, status, err))
				return RECORD_END_FAILURE;
			break;
		case WATCH_DEADLINE:
			cause = (struct cut_cause){.kind = CUT_BY_TIME};
			if (ts_now_ns() >= r->rotation.due_ns &&
			    !switch_output(r, &cause, status, err))
				return RECORD_END_FAILURE;
			if (ts_now_ns() < enable_ns)
				break;
			enable_ns = TS_TIME_NEVER;
			status_line_erase(status);
			switch_events(r, true, "");
			break;
		default:
			return RECORD_END_FAILURE;
		}
	}
}

enum record_end record_loop(struct recording *r, struct watch *w, struct control *control,
			    struct ts_error *err)
{
	struct status_line status;
	enum record_end end;

	status_line_start(&status);
	end = loop(r, w, control, &status, err);
	status_line_erase(&status);
	return end;
}

int record_wait_for_command(struct recording *r, struct watch *w, struct ts_error *err)
{
	w->control_fd = w->cpus_fd = w->targets_fd = -1;
	w->limit_fd = w->supply_fd = w->failure_fd = w->switch_fd = w->saved_fd = -1;
	w->signal = 0;
	while (r->workload.pid && !workload_has_ended(&r->workload)) {
		int event = watch_next(w, TS_TIME_NEVER, err);

		if (event < 0)
			return event;
		if (event == WATCH_SIGNAL)
			return 0;
	}
	return 1;
}
