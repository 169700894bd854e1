// SPDX-License-Identifier: Apache-2.0
/*
 * Events that ask for a snapshot. They have the CPUs and tasks of the recorded events, but small
 * rings of main's own, whose owners wake main at each record. Events that BPF programs fire are put
 * into a map, which has one place for each CPU: they have the same CPUs, and count everybody there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "streamer/rings/perf_open.h"
#include "streamer/targets/privilege.h"
#include "streamer/triggers/trigger_parts.h"

#define COPY_BYTES (64 << 10) /* holds any record */

/* The samples of our events. */
struct fired {
	struct perf_event_header header;
	uint64_t id, time_ns;
};

static int no_memory(struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot open the events of --switch-output-event");
}

static void make_attr(const struct event *event, const struct source *source,
		      struct perf_event_attr *attr)
{
	*attr = event->attr;
	attr->size = sizeof(*attr);
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
	attr->sample_period = event->period ? event->period : 1;
	attr->disabled = 1;
	attr->inherit = source->options.inherit && !event->map; /* maps take none with inherit */
	attr->use_clockid = source->attrs[0].use_clockid;
	attr->clockid = source->attrs[0].clockid;
}

/* --- opening --- */

/* The ring of a CPU, on an owner that outlives the tasks. */
static int open_ring(struct triggers *t, const struct source *source, unsigned int cpu,
		     struct ts_error *err)
{
	struct epoll_event event = {.events = EPOLLIN};
	const struct ring_id id = {.cpu = cpu, .kind = TS_RING_SAMPLES};
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr;
	int fd, code;

	event_attr_owner(&source->options, 1, false, &attr);
	if (!source->counts_lost)
		attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	fd = perf_open(&attr, &(struct perf_open_place){.cpu = (int)cpu});
	if (fd < 0)
		return ts_error_sys(err, -fd,
				    "cannot open the ring of --switch-output-event [CPU %u]", cpu);
	code = ring_open(&t->rings[t->nr_rings], &id, fd, fd, bytes, err);
	if (code < 0) {
		close(fd);
		return code;
	}
	t->owners[t->nr_rings++] = fd;
	if (epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return ts_error_sys(err, errno, "cannot watch --switch-output-event");
	return 0;
}

/* Makes an open event ready to be enabled. */
static int connect_event(struct triggers *t, struct trigger_fd *fd, size_t ring,
			 struct ts_error *err)
{
	const struct event *e = &t->options->events.items[fd->event];
	unsigned int cpu = t->rings[ring].id.cpu;

	if (ioctl(fd->fd, PERF_EVENT_IOC_SET_OUTPUT, t->owners[ring]) ||
	    ioctl(fd->fd, PERF_EVENT_IOC_ID, &fd->id))
		return ts_error_sys(err, errno, "cannot redirect %s to its ring", e->name);
	if (e->filter && ioctl(fd->fd, PERF_EVENT_IOC_SET_FILTER, e->filter))
		return ts_error_sys(err, errno, "cannot filter %s by '%s'", e->name, e->filter);
	return e->map ? pinned_map_put(&t->maps[fd->event], cpu, fd->fd, err) : 0;
}

static int open_event(struct triggers *t, const struct source *source, size_t event, size_t ring,
		      pid_t tid, struct ts_error *err)
{
	static const struct target machine = {.kind = TARGET_SYSTEM};
	const struct event *e = &t->options->events.items[event];
	unsigned int cpu = t->rings[ring].id.cpu;
	struct trigger_fd *fds = reallocarray(t->fds, t->nr_fds + 1, sizeof(*fds));
	struct trigger_fd *fd;
	struct perf_event_attr attr;

	if (!fds)
		return no_memory(err);
	t->fds = fds;
	make_attr(e, source, &attr);
	fd = &t->fds[t->nr_fds];
	*fd = (struct trigger_fd){.event = (uint32_t)event};
	fd->fd = perf_open(&attr, &(struct perf_open_place){.tid = tid, .cpu = (int)cpu});
	if (fd->fd == -ESRCH && tid > 0)
		return 0; /* the task has ended meanwhile */
	if (fd->fd < 0)
		return privilege_explain_open(source->privilege, e, &attr,
					      tid < 0 ? &machine : source->target, (int)cpu,
					      -fd->fd, err);
	t->nr_fds++;
	return connect_event(t, fd, ring, err);
}

/* The index of the CPU's ring; nr_rings: it has none. */
static size_t find_ring(const struct triggers *t, unsigned int cpu)
{
	size_t i = 0;

	while (i < t->nr_rings && t->rings[i].id.cpu != cpu)
		i++;
	return i;
}

static const pid_t everybody = -1;

/*
 * Opens the events for those threads. Events in a map are opened once, for everybody, since a CPU
 * has one place there.
 */
static int open_events(struct triggers *t, const struct source *source, size_t ring,
		       const pid_t *tids, size_t nr, struct ts_error *err)
{
	const struct event_list *events = &t->options->events;
	int code = 0;

	for (size_t e = 0; e < events->nr && !code; e++) {
		bool has_map = events->items[e].map;
		const pid_t *whom = has_map ? &everybody : tids;

		for (size_t i = 0; i < (has_map ? 1 : nr) && !code; i++)
			code = open_event(t, source, e, ring, whom[i], err);
	}
	return code;
}

static int open_cpu(struct triggers *t, const struct source *source, unsigned int cpu,
		    const pid_t *tids, size_t nr, struct ts_error *err)
{
	int code = open_ring(t, source, cpu, err);

	return code < 0 ? code : open_events(t, source, t->nr_rings - 1, tids, nr, err);
}

static int open_maps(struct triggers *t, struct ts_error *err)
{
	const struct event_list *events = &t->options->events;
	int code = 0;

	t->maps = calloc(events->nr, sizeof(*t->maps));
	if (!t->maps)
		return no_memory(err);
	for (size_t e = 0; e < events->nr && !code; e++)
		if (events->items[e].map)
			code = pinned_map_open(&t->maps[e], events->items[e].map, err);
	return code;
}

int trigger_events_open(struct triggers *t, const struct source *source, struct ts_error *err)
{
	pid_t *tids;
	size_t nr;
	int code = target_threads(source->target, &tids, &nr, err);

	if (code < 0)
		return code;
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	t->owners = calloc(source->nr_rings, sizeof(*t->owners));
	t->rings = calloc(source->nr_rings, sizeof(*t->rings));
	if (t->epoll_fd < 0 || !t->owners || !t->rings)
		code = no_memory(err);
	else
		code = open_maps(t, err);
	for (size_t i = 0; i < source->nr_rings && !code; i++)
		if (!source->rings[i].is_absent &&
		    find_ring(t, source->rings[i].cpu) == t->nr_rings)
			code = open_cpu(t, source, source->rings[i].cpu, tids, nr, err);
	free(tids);
	return code;
}

static int enable_from(const struct triggers *t, size_t first, struct ts_error *err)
{
	for (size_t i = first; i < t->nr_fds; i++)
		if (ioctl(t->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return ts_error_sys(err, errno, "cannot enable --switch-output-event");
	return 0;
}

int triggers_enable(struct triggers *t, struct ts_error *err)
{
	return enable_from(t, 0, err);
}

int triggers_add_cpu(struct triggers *t, const struct source *source, unsigned int cpu,
		     struct ts_error *err)
{
	size_t nr = source->target->kind == TARGET_SYSTEM ? 1 : 0, first = t->nr_fds;
	int code;

	if (!t->options || t->epoll_fd < 0)
		return 0;
	if (find_ring(t, cpu) == t->nr_rings && (code = open_ring(t, source, cpu, err)) < 0)
		return code;
	code = open_events(t, source, find_ring(t, cpu), &everybody, nr, err);
	return code < 0 ? code : enable_from(t, first, err);
}

/* --- what has fired --- */

static const struct event *event_of(const struct triggers *t, uint64_t id)
{
	for (size_t i = 0; i < t->nr_fds; i++)
		if (t->fds[i].id == id)
			return &t->options->events.items[t->fds[i].event];
	return &t->options->events.items[0]; /* of a task that a target started */
}

static bool goes_before(const struct triggers *t, const struct event *a, uint64_t a_ns,
			const struct event *b, uint64_t b_ns)
{
	bool a_stops = trigger_action_of(t->options, a) == TRIGGER_STOP;
	bool b_stops = trigger_action_of(t->options, b) == TRIGGER_STOP;

	return a_stops != b_stops ? a_stops : a_ns < b_ns;
}

static void look_at_records(const struct triggers *t, const uint8_t *records, size_t len,
			    const struct event **ret, uint64_t *ret_time_ns)
{
	const struct event *event;
	struct fired f;

	for (size_t at = 0; at + sizeof(f.header) <= len; at += f.header.size) {
		memcpy(&f.header, records + at, sizeof(f.header));
		if (f.header.size < sizeof(f.header))
			return;
		if (f.header.type != PERF_RECORD_SAMPLE || f.header.size < sizeof(f))
			continue;
		memcpy(&f, records + at, sizeof(f));
		event = event_of(t, f.id);
		if (!event || (*ret && !goes_before(t, event, f.time_ns, *ret, *ret_time_ns)))
			continue;
		*ret = event;
		*ret_time_ns = f.time_ns;
	}
}

const struct event *trigger_events_take(struct triggers *t, uint64_t *ret_time_ns)
{
	const struct event *first = NULL;
	uint8_t records[COPY_BYTES];
	size_t len;

	for (size_t i = 0; i < t->nr_rings; i++)
		while (ring_copy(&t->rings[i], records, sizeof(records), &len) == RING_COPY_DONE)
			look_at_records(t, records, len, &first, ret_time_ns);
	return first;
}

void trigger_events_close(struct triggers *t)
{
	for (size_t i = 0; t->maps && i < t->options->events.nr; i++)
		pinned_map_close(&t->maps[i]);
	for (size_t i = 0; i < t->nr_fds; i++)
		close(t->fds[i].fd);
	for (size_t i = 0; i < t->nr_rings; i++) {
		ring_close(&t->rings[i]);
		close(t->owners[i]);
	}
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
	free(t->fds);
	free(t->rings);
	free(t->owners);
	free(t->maps);
	t->fds = NULL;
	t->rings = NULL;
	t->owners = NULL;
	t->maps = NULL;
	t->nr_fds = t->nr_rings = 0;
	t->epoll_fd = -1;
}
