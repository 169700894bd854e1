// SPDX-License-Identifier: Apache-2.0
#include "reader/page/shown_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Is it the name, or the name without its modifiers? "sched:sched_switch" has none. */
static bool is_name(const char *full, const char *name)
{
	const size_t len = strlen(name);
	const char *modifiers = strrchr(full, ':');

	if (!strcmp(full, name))
		return true;
	return modifiers && (size_t)(modifiers - full) == len && !memcmp(full, name, len) &&
	       strspn(modifiers + 1, "ukhGHpPDSIWeb") == strlen(modifiers + 1);
}

static int find_name(const struct ts_events *events, const char *name, uint32_t *ret,
		     struct ts_error *err)
{
	for (size_t i = 0; i < events->nr; i++)
		if (is_name(events->items[i].name, name)) {
			*ret = (uint32_t)i;
			return 0;
		}
	ts_error_set(err, EINVAL, "cannot show event '%s': the capture has no such event", name);
	return events->nr ? ts_error_hint(err, "its first event is %s", events->items[0].name)
			  : -EINVAL;
}

/* The events that have stacks, and the first of them. */
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
			has[a->parts[p].items[i].key.event] = true;
	for (uint32_t i = (uint32_t)events->nr; i-- > 0;) {
		*ret_nr += has[i];
		*ret = has[i] ? i : *ret;
	}
	free(has);
	return 0;
}

int shown_event_find(const struct ts_events *events, const struct aggregate *a, const char *name,
		     uint32_t *ret, uint32_t *ret_nr, struct ts_error *err)
{
	if (find_stacks(events, a, ret, ret_nr))
		return ts_error_sys(err, ENOMEM, "cannot choose an event");
	return name ? find_name(events, name, ret, err) : 0;
}
