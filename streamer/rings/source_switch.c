// SPDX-License-Identifier: Apache-2.0
/* Events that are open: described, switched on and off, left by a CPU and taken up again. */
#include "streamer/rings/source_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "streamer/machine/cpu_visit.h"

static size_t count_ids(const struct source *source, uint32_t event)
{
	size_t nr = 0;

	for (size_t i = 0; i < source->nr_fds; i++)
		nr += source->fds[i].event == event;
	return nr;
}

static int describe_one(const struct source *source, uint32_t event, struct ts_events *ret,
			struct ts_error *err)
{
	size_t nr = count_ids(source, event), n = 0;
	uint64_t *ids = calloc(nr ? nr : 1, sizeof(*ids));
	int rc;

	if (!ids)
		return source_no_memory(err);
	for (size_t i = 0; i < source->nr_fds; i++)
		if (source->fds[i].event == event)
			ids[n++] = source->fds[i].id;
	rc = ts_events_add(ret, &source->attrs[event], source->names[event], ids, nr, err);
	free(ids);
	return rc;
}

int source_describe(const struct source *source, struct ts_events *ret, struct ts_error *err)
{
	struct ts_events events = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < source->nr_attrs; i++)
		rc = describe_one(source, i, &events, err);
	if (!rc)
		rc = ts_events_index(&events, err);
	if (rc)
		ts_events_release(&events);
	else
		*ret = events;
	return rc;
}

int source_enable_sideband(struct source *source, struct ts_error *err)
{
	for (size_t i = 0; i < source->nr_fds; i++) {
		struct source_fd *fd = &source->fds[i];

		if (!source_is_sideband(source, fd->event))
			continue;
		fd->is_on = true;
		if (ioctl(fd->fd, PERF_EVENT_IOC_ENABLE, 0))
			return ts_error_sys(err, errno, "cannot enable side-band [CPU %u]",
					    source->rings[fd->ring].cpu);
	}
	return 0;
}

/*
 * A task's event needs no visit: it counts on the CPU where the task runs, and that CPU does not
 * idle.
 */
static int switch_fd(struct cpu_visit *visit, const struct source *source,
		     const struct source_fd *fd, unsigned long request)
{
	if (fd->tid == -1)
		cpu_visit_go(visit, source->rings[fd->ring].cpu);
	return ioctl(fd->fd, request, 0);
}

/* Compares with the name that -e has, and with the one that the event got when it was opened. */
static bool is_named(const struct source *source, uint32_t event, const char *name)
{
	return event_is_named(&source->events->items[event], name) ||
	       !strcmp(source->names[event], name);
}

static int switch_events(struct source *source, const char *name, unsigned long request,
			 const char *verb, struct ts_error *err)
{
	struct cpu_visit visit;
	bool found = !name;
	int rc = 0;

	cpu_visit_begin(&visit);
	for (size_t i = 0; !rc && i < source->nr_fds; i++) {
		struct source_fd *fd = &source->fds[i];

		if (source_is_sideband(source, fd->event) ||
		    (name && !is_named(source, fd->event, name)))
			continue;
		found = true;
		fd->is_on = request == PERF_EVENT_IOC_ENABLE;
		if (fd->state == SOURCE_FD_LIVE && switch_fd(&visit, source, fd, request))
			rc = ts_error_sys(err, errno, "cannot %s event %s [CPU %u]", verb,
					  source->names[fd->event], source->rings[fd->ring].cpu);
	}
	cpu_visit_end(&visit);
	if (rc || found)
		return rc;
	return ts_error_set(err, ENOENT, "cannot %s event %s: it is not recorded", verb, name);
}

int source_enable(struct source *source, const char *name, struct ts_error *err)
{
	return switch_events(source, name, PERF_EVENT_IOC_ENABLE, "enable", err);
}

int source_disable(struct source *source, const char *name, struct ts_error *err)
{
	return switch_events(source, name, PERF_EVENT_IOC_DISABLE, "disable", err);
}

void source_disable_all(struct source *source)
{
	for (size_t i = 0; i < source->nr_fds; i++)
		if (source->fds[i].state == SOURCE_FD_LIVE)
			ioctl(source->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void source_detach(struct source *source, unsigned int cpu)
{
	for (size_t i = 0; i < source->nr_fds; i++) {
		struct source_fd *fd = &source->fds[i];

		if (fd->tid == -1 && source->rings[fd->ring].cpu == cpu &&
		    fd->state == SOURCE_FD_LIVE)
			fd->state = SOURCE_FD_DETACHED;
	}
}

int source_resume(struct source *source, size_t first, struct ts_error *err)
{
	struct cpu_visit visit;
	int rc = 0;

	cpu_visit_begin(&visit);
	for (size_t i = first; !rc && i < source->nr_fds; i++) {
		const struct source_fd *fd = &source->fds[i];

		if (fd->is_on && switch_fd(&visit, source, fd, PERF_EVENT_IOC_ENABLE))
			rc = ts_error_sys(err, errno, "cannot enable event %s [CPU %u]",
					  source->names[fd->event], source->rings[fd->ring].cpu);
	}
	cpu_visit_end(&visit);
	return rc;
}
