// SPDX-License-Identifier: Apache-2.0
/*
 * Opens events, and falls back if the kernel refuses:
 *
 *	precise as can be (P, the default)	tries 3, 2, 1, 0; else fails, attr as asked
 *	cycles, no hardware counters		cpu-clock, with a note
 *	guests cannot be excluded (EINVAL)	without exclude_guest and exclude_host
 *	inherit_thread, Linux < 5.13		without it
 *	side-band bits that a kernel lacks	leaves out each alone, then all of them
 *	the thread is gone			leaves it out, unless it was the last
 *
 * The first descriptor of an event decides how the event is opened everywhere, because the capture
 * has one attr for all of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/perf/event_name.h"
#include "streamer/rings/perf_open.h"
#include "streamer/rings/source_parts.h"

#define RESCANS 8 /* how often all is opened anew because threads appeared meanwhile */

struct opening {
	struct source *source;
	struct ts_notes *notes;
	struct ts_error *err;
	bool *is_settled; /* one an attr: its attr has been accepted once */
};

/* --- finding an attr that the kernel takes --- */

static int try_precise(struct perf_event_attr *attr, const struct perf_open_place *where)
{
	unsigned int asked = attr->precise_ip;
	int fd = -EINVAL;

	for (unsigned int precise = asked + 1; precise-- > 0;) {
		attr->precise_ip = precise;
		fd = perf_open(attr, where);
		if (fd >= 0)
			return fd;
		if (fd == -EMFILE || fd == -ESRCH) /* not caused by the attr */
			break;
	}
	attr->precise_ip = asked;
	return fd;
}

static bool is_cycles(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
}

static bool is_missing(int fd)
{
	return fd == -ENOENT || fd == -ENXIO || fd == -ENODEV;
}

/* Changes event `nr` into cpu-clock, with the name that perf gives to such an event. */
static int fall_to_clock(struct opening *o, size_t nr)
{
	struct perf_event_attr *attr = &o->source->attrs[nr];
	char name[TS_EVENT_NAME_BYTES], *copy;

	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	ts_event_name(attr, name, sizeof(name));
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	ts_notes_add(o->notes, "this machine does not count cycles: %s is recorded instead of %s",
		     copy, o->source->names[nr]);
	free(o->source->names[nr]);
	o->source->names[nr] = copy;
	return 0;
}

static int try_sample(struct opening *o, size_t nr, const struct perf_open_place *where)
{
	struct perf_event_attr *attr = &o->source->attrs[nr];
	bool precise_max = o->source->events->items[nr].precise_max;
	int fd = precise_max ? try_precise(attr, where) : perf_open(attr, where);

	if (fd == -EINVAL && (attr->exclude_guest || attr->exclude_host)) {
		struct perf_event_attr all = *attr;

		all.exclude_guest = all.exclude_host = 0;
		fd = precise_max ? try_precise(&all, where) : perf_open(&all, where);
		if (fd >= 0)
			*attr = all;
	}
	if (!is_missing(fd) || !is_cycles(attr))
		return fd;
	if (fall_to_clock(o, nr))
		return -ENOMEM;
	return perf_open(attr, where);
}

static void drop_build_id(struct perf_event_attr *attr)
{
	attr->build_id = 0;
}

static void drop_cgroup(struct perf_event_attr *attr)
{
	attr->cgroup = 0;
}

static void drop_bpf(struct perf_event_attr *attr)
{
	attr->bpf_event = 0;
}

static void drop_ksymbol(struct perf_event_attr *attr)
{
	attr->ksymbol = 0;
}

static void drop_namespaces(struct perf_event_attr *attr)
{
	attr->namespaces = 0;
}

static void drop_all(struct perf_event_attr *attr)
{
	drop_build_id(attr);
	drop_cgroup(attr);
	drop_bpf(attr);
	drop_ksymbol(attr);
	drop_namespaces(attr);
}

static const struct {
	void (*drop)(struct perf_event_attr *attr);
	const char *what;
} droppable[] = {
	{drop_build_id, "the build-ids of mapped files (Linux 5.12)"},
	{drop_cgroup, "cgroups (Linux 5.7)"},
	{drop_namespaces, "namespaces"},
	{drop_bpf, "BPF programs (Linux 5.1)"},
	{drop_ksymbol, "added and removed kernel symbols (Linux 5.1)"},
	{drop_all, "build-ids, cgroups, namespaces, BPF programs and kernel symbols"},
};

static int try_sideband(struct opening *o, const struct perf_open_place *where)
{
	struct perf_event_attr *attr = &o->source->attrs[o->source->events->nr];
	int fd = perf_open(attr, where);

	if (fd == -EINVAL && attr->inherit_thread) { /* without it: of new processes, too */
		attr->inherit_thread = 0;
		fd = perf_open(attr, where);
	}
	for (size_t i = 0; i < sizeof(droppable) / sizeof(droppable[0]); i++) {
		struct perf_event_attr less = *attr;

		if (fd != -EINVAL && fd != -EACCES)
			return fd;
		droppable[i].drop(&less);
		fd = perf_open(&less, where);
		if (fd < 0)
			continue;
		*attr = less;
		ts_notes_add(o->notes, "this kernel does not report %s", droppable[i].what);
	}
	return fd;
}

/* --- one descriptor --- */

static int grow_fds(struct source *source)
{
	size_t cap = source->cap_fds ? source->cap_fds * 2 : 64;
	struct source_fd *fds;

	if (source->nr_fds < source->cap_fds)
		return 0;
	fds = reallocarray(source->fds, cap, sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	source->fds = fds;
	source->cap_fds = cap;
	return 0;
}

static int open_fd(struct opening *o, size_t nr, pid_t tid, int cpu)
{
	const struct event_list *events = o->source->events;
	bool is_sideband = source_is_sideband(o->source, nr);
	int cgroup_fd = is_sideband ? 0 : events->items[nr].cgroup_fd;
	const struct perf_open_place where = {
		.tid = cgroup_fd ? cgroup_fd : tid, .cpu = cpu, .is_cgroup = cgroup_fd};
	int fd;

	if (o->is_settled[nr])
		return perf_open(&o->source->attrs[nr], &where);
	fd = is_sideband ? try_sideband(o, &where) : try_sample(o, nr, &where);
	o->is_settled[nr] = fd >= 0;
	return fd;
}

/* The message about the failure uses the present name of the event. */
static int explain_open(struct opening *o, size_t nr, int cpu, int code)
{
	struct source *source = o->source;
	struct event named = {0};

	if (!source_is_sideband(source, nr))
		named = source->events->items[nr];
	named.name = source->names[nr];
	return privilege_explain_open(source->privilege, &named, &source->attrs[nr], source->target,
				      cpu, code, o->err);
}

/* Redirects the event to its ring and reads its id. */
static int connect_fd(struct opening *o, struct source_fd *fd)
{
	const struct source_ring *ring = &o->source->rings[fd->ring];

	if (ioctl(fd->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
		return ts_error_sys(o->err, errno, "cannot redirect event %s to its ring [CPU %u]",
				    o->source->names[fd->event], ring->cpu);
	if (ioctl(fd->fd, PERF_EVENT_IOC_ID, &fd->id))
		return ts_error_sys(o->err, errno, "cannot read the id of event %s [CPU %u]",
				    o->source->names[fd->event], ring->cpu);
	return 0;
}

static int add_fd(struct opening *o, size_t nr, size_t ring, pid_t tid)
{
	struct source *source = o->source;
	struct source_fd fd = {.event = nr, .ring = ring, .tid = tid};
	int cpu = source->rings[ring].cpu, rc;

	if (grow_fds(source))
		return ts_error_sys(o->err, ENOMEM, "cannot open events");
	fd.fd = open_fd(o, nr, tid, cpu);
	if (fd.fd == -ESRCH && tid > 0)
		return -ESRCH;
	if (fd.fd < 0)
		return explain_open(o, nr, cpu, -fd.fd);
	rc = connect_fd(o, &fd);
	if (rc) {
		close(fd.fd);
		return rc;
	}
	source->fds[source->nr_fds++] = fd;
	return 0;
}

/* --- all of them --- */

static int open_ring_events(struct opening *o, size_t ring, pid_t tid)
{
	struct source *source = o->source;
	int rc = 0;

	for (size_t nr = 0; !rc && nr < source->nr_attrs; nr++)
		if (source_has_event(source, nr, &source->rings[ring]))
			rc = add_fd(o, nr, ring, tid);
	return rc;
}

/* Threads that are not sampled have side-band alone. */
static bool is_needed(const struct source *source, size_t ring, pid_t tid)
{
	if (source->rings[ring].kind == TS_RING_SIDEBAND)
		return !source->is_wide;
	return target_samples(source->target, tid);
}

/*
 * Opens all events of one thread. -ESRCH: the thread is gone; then none of its events stays open.
 */
static int open_thread(struct opening *o, pid_t tid)
{
	struct source *source = o->source;
	size_t before = source->nr_fds;
	int rc = 0;

	for (size_t ring = 0; !rc && ring < source->nr_rings; ring++)
		if (!source->rings[ring].is_absent && is_needed(source, ring, tid))
			rc = open_ring_events(o, ring, tid);
	while (rc && source->nr_fds > before)
		close(source->fds[--source->nr_fds].fd);
	return rc;
}

/*
 * Opens the side-band of all tasks, switches it on, and then looks which tasks there are. First of
 * all: targets and others may start processes while the targets' events are opened. From here on
 * FORKs tell of those; a process that a target started earlier inherits no event.
 */
static int open_wide(struct opening *o, const pid_t *tids, size_t nr)
{
	struct source *source = o->source;
	int rc = 0;

	for (size_t ring = 0; !rc && ring < source->nr_rings; ring++)
		if (!source->rings[ring].is_absent && source->rings[ring].kind == TS_RING_SIDEBAND)
			rc = open_ring_events(o, ring, -1);
	if (!rc)
		rc = source_enable_sideband(source, o->err);
	return rc ? rc : task_filter_set_targets(&source->tasks, tids, nr, o->err);
}

/* Names what was asked for; `tid` is the first thread that was found of it. */
static int refuse_gone(const struct opening *o, pid_t tid)
{
	const struct target *target = o->source->target;
	const bool is_given = target->kind == TARGET_TIDS || target->kind == TARGET_PIDS;

	return ts_error_set(o->err, ESRCH, "cannot record %s %d: it is gone",
			    target->kind == TARGET_TIDS ? "thread" : "process",
			    is_given ? target->ids[0] : tid);
}

static int open_threads(struct opening *o, const pid_t *tids, size_t nr)
{
	size_t nr_opened = 0;
	int rc = o->source->is_wide ? open_wide(o, tids, nr) : 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		rc = open_thread(o, tids[i]);
		nr_opened += !rc && target_samples(o->source->target, tids[i]);
		if (rc == -ESRCH)
			rc = 0;
	}
	if (!rc && !nr_opened)
		rc = refuse_gone(o, tids[0]);
	return rc;
}

/* True if `after` has a thread that `before` has not. Both lists ascend. */
static bool has_new(const pid_t *before, size_t nr_before, const pid_t *after, size_t nr_after)
{
	size_t b = 0;

	for (size_t a = 0; a < nr_after; a++) {
		while (b < nr_before && before[b] < after[a])
			b++;
		if (b == nr_before || before[b] != after[a])
			return true;
	}
	return false;
}

/*
 * A thread that appears while we open may come from a thread whose events were not open yet. Then
 * it inherits nothing. If it does inherit, opening its events would count it twice. So all is
 * opened anew if a thread appeared. In the end no thread appeared between the list and the last
 * open.
 */
static int open_until_stable(struct opening *o)
{
	const struct target *target = o->source->target;
	pid_t *tids = NULL, *now;
	size_t nr, nr_now;
	int rc = target_all_threads(target, &tids, &nr, o->err);

	for (unsigned int round = 0; !rc; round++) {
		bool is_stable;

		rc = open_threads(o, tids, nr);
		if (rc || target->kind == TARGET_SYSTEM || target->kind == TARGET_COMMAND)
			break;
		rc = target_all_threads(target, &now, &nr_now, o->err);
		if (rc)
			break;
		is_stable = !has_new(tids, nr, now, nr_now);
		free(tids);
		tids = now;
		nr = nr_now;
		if (is_stable)
			break;
		if (round == RESCANS) {
			ts_notes_add(o->notes, "the process creates threads faster than tstream "
					       "can open them: some may be missing");
			break;
		}
		source_close_events(o->source);
	}
	free(tids);
	return rc;
}

int source_open_events(struct source *source, struct ts_notes *notes, struct ts_error *err)
{
	struct opening o = {.source = source, .notes = notes, .err = err};
	int rc;

	if (source->is_wide && !source->tasks.states &&
	    (rc = task_filter_init(&source->tasks, source->options.inherit, err)) < 0)
		return rc;
	o.is_settled = calloc(source->nr_attrs, sizeof(o.is_settled[0]));
	if (!o.is_settled)
		return ts_error_sys(err, ENOMEM, "cannot open events");
	rc = open_until_stable(&o);
	free(o.is_settled);
	if (rc)
		source_close_events(source);
	return rc;
}

/* Opens one new descriptor for each one that was detached from the CPU, disabled. */
static int reopen_detached(struct opening *o, unsigned int cpu)
{
	struct source *source = o->source;
	size_t before = source->nr_fds;
	int rc = 0;

	for (size_t i = 0; !rc && i < before; i++) {
		const struct source_fd old = source->fds[i];

		if (old.state != SOURCE_FD_DETACHED || source->rings[old.ring].cpu != cpu)
			continue;
		rc = add_fd(o, old.event, old.ring, old.tid);
		if (!rc)
			source->fds[source->nr_fds - 1].is_on = old.is_on;
	}
	while (rc && source->nr_fds > before)
		close(source->fds[--source->nr_fds].fd);
	return rc;
}

/* Prepares to open more descriptors: the kernel has accepted all attrs before. */
static int begin_more(struct opening *o, struct source *source, struct ts_error *err)
{
	*o = (struct opening){.source = source, .err = err};
	o->is_settled = malloc(source->nr_attrs * sizeof(o->is_settled[0]));
	if (!o->is_settled)
		return ts_error_sys(err, ENOMEM, "cannot open events");
	memset(o->is_settled, true, source->nr_attrs * sizeof(o->is_settled[0]));
	return 0;
}

int source_reopen(struct source *source, unsigned int cpu, size_t *ret_first, struct ts_error *err)
{
	size_t before = source->nr_fds;
	struct opening o;
	int rc = begin_more(&o, source, err);

	if (rc)
		return rc;
	rc = reopen_detached(&o, cpu);
	free(o.is_settled);
	if (rc)
		return rc;
	for (size_t i = 0; i < before; i++)
		if (source->fds[i].state == SOURCE_FD_DETACHED &&
		    source->rings[source->fds[i].ring].cpu == cpu)
			source->fds[i].state = SOURCE_FD_REPLACED;
	*ret_first = before;
	return 0;
}

/*
 * Events are switched on and off as a whole, so the newest descriptor of an event says if it is on.
 */
static void copy_switches(struct source *source, size_t before)
{
	for (size_t i = before; i < source->nr_fds; i++)
		for (size_t k = 0; k < before; k++)
			if (source->fds[k].event == source->fds[i].event)
				source->fds[i].is_on = source->fds[k].is_on;
}

int source_open_admitted(struct source *source, unsigned int cpu, size_t *ret_first,
			 struct ts_error *err)
{
	size_t before = source->nr_fds;
	struct opening o;
	int rc = begin_more(&o, source, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < source->nr_rings; i++)
		if (source->rings[i].is_absent && source->rings[i].cpu == cpu)
			rc = open_ring_events(&o, i, -1);
	free(o.is_settled);
	while (rc && source->nr_fds > before)
		close(source->fds[--source->nr_fds].fd);
	if (rc)
		return rc;
	for (size_t i = 0; i < source->nr_rings; i++)
		if (source->rings[i].cpu == cpu)
			source->rings[i].is_absent = false;
	copy_switches(source, before);
	*ret_first = before;
	return 0;
}
