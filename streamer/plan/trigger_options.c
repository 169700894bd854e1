// SPDX-License-Identifier: Apache-2.0
#include "streamer/plan/trigger_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"

#define EVENTS_MAX   64 /* bits of trigger_options.stops */
#define EVENT_PREFIX "event:"
#define NS_PER_US    1000

bool trigger_makes_snapshots(const struct trigger_options *o)
{
	bool found = false;

	for (size_t i = 0; i < o->events.nr; i++)
		found |= !(o->stops >> i & 1);
	for (size_t i = 0; i < o->nr_psi; i++)
		found |= o->psi[i].action == TRIGGER_SNAPSHOT;
	return found;
}

enum trigger_action trigger_action_of(const struct trigger_options *o, const struct event *event)
{
	return o->stops >> (event - o->events.items) & 1 ? TRIGGER_STOP : TRIGGER_SNAPSHOT;
}

/* Nothing, :snapshot, :rotate or :stop; false: another word. */
static bool take_action(const char *text, enum trigger_action *ret)
{
	*ret = !strcmp(text, ":stop") ? TRIGGER_STOP : TRIGGER_SNAPSHOT;
	return !*text || *ret == TRIGGER_STOP || !strcmp(text, ":snapshot") ||
	       !strcmp(text, ":rotate");
}

/* --- events --- */

/* The kernel fires no such event. A BPF program does, and finds it in a map. */
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
		ts_error_set(
			err, EINVAL,
			"cannot use --switch-output-event '%s': BPF programs need a map to find it",
			list->items[i].name);
		code = ts_error_hint(err, "give the path where a perf event array is pinned: "
					  "bpf-output/map=PATH/");
	}
	if (!code && list->nr > EVENTS_MAX)
		code = ts_error_set(err, EINVAL,
				    "cannot use '%s': at most %d trigger events are allowed", text,
				    EVENTS_MAX);
	return code;
}

bool trigger_is_event(const char *text)
{
	return !strncmp(text, EVENT_PREFIX, strlen(EVENT_PREFIX));
}

/* EVENT, and an action behind its last colon if there is one. */
static int add_event(struct trigger_options *o, const char *text, struct ts_error *err)
{
	enum trigger_action action = TRIGGER_SNAPSHOT;
	char *copy = strdup(text), *end;
	int code;

	if (!copy)
		return ts_error_sys(err, ENOMEM, "cannot use --trigger");
	end = strrchr(copy, ':');
	if (end && take_action(end, &action))
		*end = '\0';
	code = trigger_add_events(o, copy, err);
	for (size_t i = o->events.nr - o->events.nr_last;
	     !code && action == TRIGGER_STOP && i < o->events.nr; i++)
		o->stops |= 1ull << i;
	free(copy);
	return code;
}

/* --- pressure --- */

/* Reads a time of the first len letters, not 0; false: they are none. */
static bool take_time(const char *text, size_t len, uint64_t *ret_us)
{
	char copy[32];
	uint64_t ns;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (ts_units_parse_time(copy, 0, &ns) < 0)
		return false;
	*ret_us = ns / NS_PER_US;
	return *ret_us > 0;
}

static const char *take_resource(const char **at)
{
	static const char *const names[] = {"cpu", "memory", "io"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (strncmp(*at, names[i], len) || (*at)[len] != ':')
			continue;
		*at += len + 1;
		return names[i];
	}
	return NULL;
}

static bool parse_psi(const char *text, struct trigger_psi *psi)
{
	const char *at = text, *slash, *end;

	*psi = (struct trigger_psi){.text = text};
	if (strncmp(at, "psi:", 4) != 0)
		return false;
	at += 4;
	psi->resource = take_resource(&at);
	slash = strchr(at, '/');
	if (!psi->resource || !slash)
		return false;
	end = slash + strcspn(slash, ":");
	return take_time(at, (size_t)(slash - at), &psi->stall_us) &&
	       take_time(slash + 1, (size_t)(end - slash - 1), &psi->window_us) &&
	       psi->stall_us <= psi->window_us && take_action(end, &psi->action);
}

static int add_psi(struct trigger_options *o, const char *text, struct ts_error *err)
{
	struct trigger_psi psi;

	if (!parse_psi(text, &psi)) {
		ts_error_set(err, EINVAL,
			     "cannot use --trigger '%s': it must be event:EVENT, or psi:cpu, "
			     "psi:memory or psi:io followed by :STALL/WINDOW",
			     text);
		return ts_error_hint(
			err, "give for example psi:memory:100ms/1s; :stop may follow each of them");
	}
	if (o->nr_psi == TRIGGER_PSI_MAX)
		return ts_error_set(
			err, EINVAL,
			"cannot use --trigger '%s': at most %d pressure triggers are allowed", text,
			TRIGGER_PSI_MAX);
	o->psi[o->nr_psi++] = psi;
	return 0;
}

int trigger_add(struct trigger_options *o, const char *text, struct ts_error *err)
{
	return trigger_is_event(text) ? add_event(o, text + strlen(EVENT_PREFIX), err)
				      : add_psi(o, text, err);
}
