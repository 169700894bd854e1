// SPDX-License-Identifier: Apache-2.0
#include "reader/page/shown_event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HINT_MOST 320 /* bytes of names; longer ones are left out */
#define AND_MORE  " and others"

/* Is it the name without its modifiers? "sched:sched_switch" has none. */
static bool is_short_name(const char *full, const char *name)
{
	const size_t len = strlen(name);
	const char *modifiers = strrchr(full, ':');

	return modifiers && (size_t)(modifiers - full) == len && !memcmp(full, name, len) &&
	       strspn(modifiers + 1, "ukhGHpPDSIWeb") == strlen(modifiers + 1);
}

/* Its names, as many as a hint holds. */
static int hint_names(const struct ts_events *events, struct ts_error *err)
{
	char names[HINT_MOST] = "";
	size_t len = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const char *name = events->items[i].name;
		const size_t more = strlen(name) + 2;

		if (len + more + strlen(AND_MORE) >= sizeof(names)) {
			snprintf(names + len, sizeof(names) - len, AND_MORE);
			break;
		}
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
					name);
	}
	return ts_error_hint(err, "its events are: %s", names);
}

static int refuse_name(const struct ts_events *events, const char *name, struct ts_error *err)
{
	ts_error_set(err, EINVAL, "cannot show event '%s': the capture has no such event", name);
	return events->nr ? hint_names(events, err) : -EINVAL;
}

int shown_event_named(const struct ts_events *events, const char *name, uint32_t *ret,
		      struct ts_error *err)
{
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++)
		if (!strcmp(events->items[i].name, name)) {
			*ret = (uint32_t)i;
			return 0;
		}
	for (size_t i = 0; i < events->nr; i++)
		if (is_short_name(events->items[i].name, name) && !nr++)
			*ret = (uint32_t)i;
	if (nr > 1)
		return ts_error_set(err, EINVAL,
				    "cannot show event '%s': %zu events are called so: give the "
				    "modifiers of one, too",
				    name, nr);
	return nr ? 0 : refuse_name(events, name, err);
}

/* The events that have stacks, and the first of them. Stacks may have further events, of other captures. */
static int find_stacks(const struct ts_events *events, const struct aggregate *a, uint32_t *ret,
		       uint32_t *ret_nr)
{
	bool *has = calloc(events->nr + 1, sizeof(*has));

	*ret_nr = 0;
	*ret = 0;
	if (!has)
		return -ENOMEM;
	for (unsigned int p = 0; p < a->nr_parts; p++)
		for (uint32_t i = 0; i < a->parts[p].nr; i++)
			if (a->parts[p].items[i].key.event < events->nr)
				has[a->parts[p].items[i].key.event] = true;
	for (uint32_t i = 0; i < events->nr; i++)
		if (has[i] && !(*ret_nr)++)
			*ret = i;
	free(has);
	return 0;
}

bool shown_event_has_stacks(const struct aggregate *a, uint32_t event)
{
	for (unsigned int p = 0; p < a->nr_parts; p++)
		for (uint32_t i = 0; i < a->parts[p].nr; i++)
			if (a->parts[p].items[i].key.event == event)
				return true;
	return false;
}

int shown_event_find(const struct ts_events *events, const struct aggregate *a, const char *name,
		     uint32_t *ret, uint32_t *ret_nr, struct ts_error *err)
{
	uint32_t first;
	int rc = 0;

	if (find_stacks(events, a, &first, ret_nr))
		return ts_error_sys(err, ENOMEM, "cannot choose an event");
	*ret = first;
	if (name)
		rc = shown_event_named(events, name, ret, err);
	if (rc || !*ret_nr || shown_event_has_stacks(a, *ret))
		return rc;
	ts_error_set(err, EINVAL, "cannot show event '%s': it has no samples here", name);
	return ts_error_hint(err, "%s has some", events->items[first].name);
}
