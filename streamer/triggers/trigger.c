// SPDX-License-Identifier: Apache-2.0
#include "streamer/triggers/trigger.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "streamer/triggers/trigger_parts.h"

int triggers_open(struct triggers *t, const struct trigger_options *o, const struct source *source,
		  struct ts_error *err)
{
	int code = 0;

	*t = (struct triggers){.options = o, .epoll_fd = -1, .due_ns = TS_TIME_NEVER};
	for (size_t i = 0; i < o->nr_psi; i++)
		t->psi_fds[i] = -1;
	for (size_t i = 0; i < o->nr_psi && code >= 0; i++)
		code = t->psi_fds[i] = trigger_psi_open(&o->psi[i], err);
	if (code >= 0 && o->events.nr)
		code = trigger_events_open(t, source, err);
	return code < 0 ? code : 0;
}

void triggers_watch(const struct triggers *t, struct watch *w)
{
	for (size_t i = 0; t->options && i < t->options->nr_psi; i++)
		w->more[w->nr_more++] = (struct watch_more){.fd = t->psi_fds[i], .events = POLLPRI};
	if (t->options && t->epoll_fd >= 0)
		w->more[w->nr_more++] = (struct watch_more){.fd = t->epoll_fd, .events = POLLIN};
}

/* A trigger has fired: notes it, unless it is to be ignored. */
static void note_trigger(struct triggers *t, enum cut_kind kind, const char *what,
			 enum trigger_action action, uint64_t realtime_ns)
{
	uint64_t now_ns = ts_clock_now_ns();
	bool is_pending = t->due_ns != TS_TIME_NEVER;
	bool is_early = t->last_ns && now_ns - t->last_ns < t->options->min_interval_ns;

	/* an end is asked for once, and goes before everything else */
	if (action == TRIGGER_STOP ? is_pending && t->action == TRIGGER_STOP
				   : is_pending || is_early)
		return;
	t->cause = (struct cut_cause){.kind = kind, .what = what, .realtime_ns = realtime_ns};
	t->action = action;
	t->last_ns = now_ns;
	t->due_ns = now_ns + t->options->after_ns;
}

/* The wall clock at a time of the records. */
static uint64_t realtime_of(struct record_clock *clock, uint64_t time_ns)
{
	uint64_t now_ns = clock ? record_clock_now(clock) : 0;
	uint64_t age_ns = now_ns > time_ns ? now_ns - time_ns : 0;

	return ts_clock_ns(CLOCK_REALTIME) - age_ns;
}

void triggers_take(struct triggers *t, struct watch *w, struct record_clock *clock)
{
	for (size_t i = 0; i < w->nr_more; i++) {
		const struct trigger_psi *psi = &t->options->psi[i];
		const struct event *event;
		uint64_t time_ns;

		if (!w->more[i].has_fired)
			continue;
		w->more[i].has_fired = false;
		if (i < t->options->nr_psi)
			note_trigger(t, CUT_BY_PRESSURE, psi->text, psi->action,
				     ts_clock_ns(CLOCK_REALTIME));
		else if ((event = trigger_events_take(t, &time_ns)) != NULL)
			note_trigger(t, CUT_BY_EVENT, event->name,
				     trigger_action_of(t->options, event),
				     realtime_of(clock, time_ns));
	}
}

void triggers_clear_due(struct triggers *t)
{
	t->due_ns = TS_TIME_NEVER;
}

void triggers_close(struct triggers *t)
{
	for (size_t i = 0; t->options && i < t->options->nr_psi; i++)
		if (t->psi_fds[i] >= 0)
			close(t->psi_fds[i]);
	if (t->options)
		trigger_events_close(t);
	t->options = NULL;
}
