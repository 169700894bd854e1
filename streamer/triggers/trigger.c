// SPDX-License-Identifier: Apache-2.0
#include "streamer/triggers/trigger.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "streamer/triggers/trigger_parts.h"

#define EVENTS_MAX   64 /* bits of trigger_options.stops */
#define EVENT_PREFIX "event:"

bool trigger_makes_snapshots(const struct trigger_options *o)
{
	bool found = false;

	for (size_t i = 0; i < o->events.nr; i++)
		found |= !(o->stops >> i & 1);
	for (size_t i = 0; i < o->nr_psi; i++)
		found |= o->psi[i].action == TRIGGER_SNAPSHOT;
	return found;
}

/* The kernel has nothing that fires it: a program does, which finds it in a map. */
static bool needs_map(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT && !event->map;
}

int trigger_add_events(struct trigger_options *o, const char *text, struct ts_error *err)
{
	struct event_list *list = &o->events;
	int code = event_parse(list, text, NULL, err);

	for (size_t i = list->nr - list->nr_last; !code && i < list->nr; i++) {
		if (!needs_map(&list->items[i]))
			continue;
		ts_error_set(err, EINVAL,
			     "cannot use --switch-output-event '%s': BPF programs find it in a map",
			     list->items[i].name);
		code = ts_error_hint(err, "give the path where a perf event array is pinned: "
					  "bpf-output/map=PATH/");
	}
	if (!code && list->nr > EVENTS_MAX)
		code = ts_error_set(err, EINVAL,
				    "cannot use '%s': %d events that ask for something are enough",
				    text, EVENTS_MAX);
	return code;
}

bool trigger_take_action(const char *text, enum trigger_action *ret)
{
	*ret = !strcmp(text, ":stop") ? TRIGGER_STOP : TRIGGER_SNAPSHOT;
	return !*text || *ret == TRIGGER_STOP || !strcmp(text, ":snapshot") ||
	       !strcmp(text, ":rotate");
}

bool trigger_is_event(const char *text)
{
	return !strncmp(text, EVENT_PREFIX, strlen(EVENT_PREFIX));
}

/* EVENT, and an action behind its last colon where that is one. */
static int add_event(struct trigger_options *o, const char *text, struct ts_error *err)
{
	enum trigger_action action = TRIGGER_SNAPSHOT;
	char *copy = strdup(text), *end;
	int code;

	if (!copy)
		return ts_error_sys(err, ENOMEM, "cannot use --trigger");
	end = strrchr(copy, ':');
	if (end && trigger_take_action(end, &action))
		*end = '\0';
	code = trigger_add_events(o, copy, err);
	for (size_t i = o->events.nr - o->events.nr_last;
	     !code && action == TRIGGER_STOP && i < o->events.nr; i++)
		o->stops |= 1ull << i;
	free(copy);
	return code;
}

int trigger_add(struct trigger_options *o, const char *text, struct ts_error *err)
{
	return trigger_is_event(text) ? add_event(o, text + strlen(EVENT_PREFIX), err)
				      : trigger_add_psi(o, text, err);
}

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

/* It has fired: is it to be obeyed? */
static void note(struct triggers *t, enum cut_kind kind, const char *what,
		 enum trigger_action action, uint64_t realtime_ns)
{
	uint64_t now_ns = ts_now_ns();
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

enum trigger_action trigger_action_of(const struct trigger_options *o, const struct event *event)
{
	return o->stops >> (event - o->events.items) & 1 ? TRIGGER_STOP : TRIGGER_SNAPSHOT;
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
			note(t, CUT_BY_PRESSURE, psi->text, psi->action,
			     ts_clock_ns(CLOCK_REALTIME));
		else if ((event = trigger_events_take(t, &time_ns)) != NULL)
			note(t, CUT_BY_EVENT, event->name, trigger_action_of(t->options, event),
			     realtime_of(clock, time_ns));
	}
}

void triggers_obey(struct triggers *t)
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
