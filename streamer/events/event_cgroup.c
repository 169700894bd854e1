// SPDX-License-Identifier: Apache-2.0
/*
 * -G: the cgroups of events.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "streamer/events/event.h"
#include "streamer/machine/cgroup.h"

/* Takes ownership of fd. */
static void give_descriptor(struct event *event, int fd)
{
	if (event->cgroup_fd > 0)
		close(event->cgroup_fd);
	event->cgroup_fd = fd;
}

static int set_cgroup(struct event_list *list, const char *name, struct ts_error *err)
{
	size_t nr = list->nr_cgroups++;
	int fd;

	if (nr >= list->nr) {
		ts_error_set(err, EINVAL, "cannot use --cgroup '%s': there is no event before it",
			     name);
		return ts_error_hint(err, "give -e first, and at most one cgroup for each event");
	}
	if (!*name)
		return 0;
	fd = cgroup_open(name, err);
	if (fd < 0)
		return fd;
	give_descriptor(&list->items[nr], fd);
	return 0;
}

static int share_first(struct event_list *list, struct ts_error *err)
{
	for (size_t i = 1; i < list->nr; i++) {
		int fd = fcntl(list->items[0].cgroup_fd, F_DUPFD_CLOEXEC, 3);

		if (fd < 0)
			return ts_error_sys(err, errno, "cannot open a cgroup");
		give_descriptor(&list->items[i], fd);
	}
	return 0;
}

int event_set_cgroups(struct event_list *list, const char *text, struct ts_error *err)
{
	char name[PATH_MAX];
	int code = 0;

	while (!code) {
		size_t len = strcspn(text, ",");

		if (len >= sizeof(name))
			return ts_error_set(err, ENAMETOOLONG,
					    "cannot use --cgroup: a name is too long");
		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		code = set_cgroup(list, name, err);
		if (!text[len])
			break;
		text += len + 1;
	}
	if (!code && list->nr_cgroups == 1 && list->items[0].cgroup_fd > 0)
		code = share_first(list, err);
	return code;
}
