// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct event *event_list_add(struct event_list *list)
{
	struct event *items = reallocarray(list->items, list->nr + 1, sizeof(*items));

	if (!items)
		return NULL;
	list->items = items;
	items[list->nr] = (struct event){0};
	return &items[list->nr++];
}

/*
 * On AMD a unit (IBS) does precise sampling that cannot leave guests out. If asked to, it refuses,
 * and the cycles would not be precise. So on AMD perf does not ask for it.
 */
static bool leaves_guests_out(void)
{
#ifdef __x86_64__
	return !__builtin_cpu_is("amd");
#else
	return true;
#endif
}

int event_add_default(struct event_list *list, struct ts_error *err)
{
	struct event *event = event_list_add(list);

	if (!event || !(event->name = strdup("cycles"))) {
		if (event)
			list->nr--;
		return ts_error_sys(err, ENOMEM, "cannot record cycles");
	}
	event->attr.type = PERF_TYPE_HARDWARE;
	event->attr.config = PERF_COUNT_HW_CPU_CYCLES;
	event->attr.exclude_guest = leaves_guests_out();
	event->precise_max = true;
	event->is_default = true;
	list->nr_last = 1;
	return 0;
}

/* Sets the filter, or adds it to that of an earlier --filter. Both must hold then, as with perf. */
static int add_filter(struct event *event, const char *filter, struct ts_error *err)
{
	char *both;
	int len = event->filter ? asprintf(&both, "(%s) && (%s)", event->filter, filter)
				: asprintf(&both, "%s", filter);

	if (len < 0)
		return ts_error_sys(err, ENOMEM, "cannot filter %s", event->name);
	free(event->filter);
	event->filter = both;
	return 0;
}

/*
 * Reads the filter as the kernel does: text in quotes is literal, and no character escapes a quote.
 */
static bool has_all_partners(const char *filter)
{
	unsigned depth = 0;
	char quote = 0;

	for (; *filter; filter++) {
		if (quote)
			quote = *filter == quote ? 0 : quote;
		else if (*filter == '"' || *filter == '\'')
			quote = *filter;
		else if (*filter == '(')
			depth++;
		else if (*filter == ')' && depth-- == 0)
			return false;
	}
	return !quote && !depth;
}

int event_set_filter(struct event_list *list, const char *filter, struct ts_error *err)
{
	int rc = 0;

	if (!list->nr_last)
		return ts_error_set(err, EINVAL,
				    "cannot filter '%s': there is no event before --filter",
				    filter);
	/* The kernel may accept an invalid filter once it is joined with others in parentheses. */
	if (!has_all_partners(filter))
		return ts_error_set(err, EINVAL,
				    "cannot filter '%s': it has an unbalanced parenthesis or quote",
				    filter);
	for (size_t i = list->nr - list->nr_last; i < list->nr; i++)
		if (!list->items[i].tracepoint)
			return ts_error_set(
				err, EINVAL,
				"cannot filter '%s': %s, the event before it, is not a tracepoint",
				filter, list->items[i].name);
	for (size_t i = list->nr - list->nr_last; !rc && i < list->nr; i++)
		rc = add_filter(&list->items[i], filter, err);
	return rc;
}

void event_list_release(struct event_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct event *event = &list->items[i];

		free(event->name);
		free(event->system);
		free(event->tracepoint);
		free(event->filter);
		free(event->map);
		if (event->cgroup_fd > 0)
			close(event->cgroup_fd);
		hwloc_bitmap_free(event->cpus);
	}
	free(list->items);
	*list = (struct event_list){0};
}

bool event_user_name(const struct event *event, char *buf, size_t len)
{
	const struct perf_event_attr *attr = &event->attr;
	bool has_suffix = strchr(event->name, ':') || strchr(event->name, '/');

	if (attr->exclude_kernel || attr->exclude_user || event->tracepoint)
		snprintf(buf, len, "%s", event->name);
	else /* as perf does: `u` is added to the letters that are there */
		snprintf(buf, len, "%s%su", event->name, has_suffix ? "" : ":");
	return !attr->exclude_user;
}

/* Length of a name without its modifiers: up to the last ':', except that of a tracepoint. */
static size_t bare_length(const struct event *event)
{
	const char *colon = strrchr(event->name, ':');

	if (!colon || event->tracepoint)
		return strlen(event->name);
	return colon - event->name;
}

bool event_is_named(const struct event *event, const char *name)
{
	size_t len = bare_length(event);

	return !strcmp(event->name, name) ||
	       (strlen(name) == len && !strncmp(event->name, name, len));
}
