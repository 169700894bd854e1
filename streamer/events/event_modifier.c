// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_modifier.h"

#include <errno.h>
#include <string.h>

#include "streamer/events/event_term.h"

bool event_are_modifiers(const char *text)
{
	return *text && text[strspn(text, "ukhGHIpPDeSWb")] == '\0';
}

static void exclude_other_levels(struct perf_event_attr *attr, bool *named)
{
	if (*named)
		return;
	*named = true;
	attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
}

static void exclude_other_side(struct perf_event_attr *attr, bool *named)
{
	if (*named)
		return;
	*named = true;
	attr->exclude_host = attr->exclude_guest = 1;
}

/*
 * Applies one letter. `levels` and `sides` say if a level (u k h) or a side (G H) was named before.
 */
static bool apply_letter(struct event *event, char letter, bool *levels, bool *sides)
{
	struct perf_event_attr *attr = &event->attr;

	switch (letter) {
	case 'u':
		exclude_other_levels(attr, levels);
		if (!*sides)
			attr->exclude_guest = 1;
		attr->exclude_user = 0;
		return true;
	case 'k':
		exclude_other_levels(attr, levels);
		attr->exclude_kernel = 0;
		return true;
	case 'h':
		exclude_other_levels(attr, levels);
		attr->exclude_hv = 0;
		return true;
	case 'G':
		exclude_other_side(attr, sides);
		attr->exclude_guest = 0;
		return true;
	case 'H':
		exclude_other_side(attr, sides);
		attr->exclude_host = 0;
		return true;
	case 'I':
		attr->exclude_idle = 1;
		return true;
	case 'p':
		if (!*sides) /* precise events exclude guests */
			attr->exclude_guest = 1;
		if (attr->precise_ip == 3)
			return false;
		attr->precise_ip++;
		return true;
	case 'P':
		event->precise_max = true;
		return true;
	case 'D':
		attr->pinned = 1;
		return true;
	case 'e':
		attr->exclusive = 1;
		return true;
	default:
		return false;
	}
}

/* perf's rule: guests are excluded unless the letters name sides. */
int event_apply_modifiers(struct event *event, const char *letters, const char *text,
			  struct ts_error *err)
{
	bool levels = false, sides = false;

	if (!*letters) {
		event->attr.exclude_guest = 1;
		return 0;
	}
	for (const char *letter = letters; *letter; letter++) {
		if (strchr("SWb", *letter))
			return event_refuse(err, EINVAL, text,
					    "the modifier %c (groups, counting) is not supported",
					    *letter);
		if (!apply_letter(event, *letter, &levels, &sides))
			return event_refuse(err, EINVAL, text,
					    *letter == 'p' ? "the highest precision is ppp"
							   : "'%c' is not a modifier",
					    *letter);
	}
	return 0;
}
