/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to record: the events of -e, each with the attr that its words alone determine.
 *
 * The words are perf's: software and generic hardware names, cache names, subsystem:event
 * tracepoints with wildcards, raw rNNN, mem:ADDR breakpoints, sysfs PMU syntax, modifiers, terms.
 * What the options of the recording add (frequency, call graphs, clock, ...) is event_attr.h's.
 * Names are those perf stores, since `report` and `script` show them.
 *
 * Threads: one owner; constant once the capture has begun.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_H
#define TS_STREAMER_EVENTS_EVENT_H

#include <hwloc.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"

/* Of -g, --call-graph and the term call-graph=. */
enum event_callgraph {
	EVENT_CALLGRAPH_UNSET,
	EVENT_CALLGRAPH_NONE,
	EVENT_CALLGRAPH_FP,
	EVENT_CALLGRAPH_DWARF,
};

struct event {
	char *name;		     /* owned; as perf stores it */
	struct perf_event_attr attr; /* type, config*, bp_*, exclude_*, precise_ip, pinned, ... */
	char *system, *tracepoint; /* owned; of a tracepoint: "sched", "sched_switch"; else NULL */
	char *filter;		   /* owned; --filter; NULL: none */
	int cgroup_fd;		   /* owned; -G: the folder of its cgroup; 0: any */
	hwloc_bitmap_t cpus;	   /* owned; the PMU's cpumask; NULL: any CPU */
	bool is_default;	   /* nobody asked for it: the cycles of event_add_default() */
	bool precise_max;	   /* precise_ip: as much as the machine allows */
	/* terms; unset is 0, EVENT_CALLGRAPH_UNSET */
	uint64_t period, freq;
	enum event_callgraph callgraph;
	uint32_t stack_bytes;
	uint32_t max_stack; /* entries */
	bool no_inherit;
	bool overwrite, no_overwrite; /* neither: as --overwrite says */
	char *map; /* owned; of bpf-output: the path of the map that it goes into; NULL: none */
};

struct event_list {
	struct event *items; /* owned */
	size_t nr;
	size_t nr_cgroups; /* how many event_set_cgroups() was given */
	size_t nr_last;	   /* how many the last event_parse() added: --filter belongs to these */
};

/* Where events are found; NULL members mean the machine's own. Tests give folders of their own. */
struct event_roots {
	const char *tracefs; /* a folder that holds events/; NULL: the mounted tracefs */
	const char *pmus;    /* /sys/bus/event_source/devices */
};

/* Adds an event with no name and an empty attr; NULL: out of memory. */
struct event *event_list_add(struct event_list *list);
/*
 * Adds the events of one -e value (a comma list). Nothing is added on failure. -EINVAL with a
 * sentence that names the event and what is wrong with it; -ENOENT for an unknown one.
 */
int event_parse(struct event_list *list, const char *text, const struct event_roots *roots,
		struct ts_error *err);
/* The default, without any -e: cycles as precise as the machine allows; on AMD with the guests'. */
int event_add_default(struct event_list *list, struct ts_error *err);
/*
 * -G: the n-th name that it is given in all is the cgroup of the n-th event, an empty one is none; a
 * single name is the cgroup of all events so far. -EINVAL where there are fewer events, -errno for a
 * cgroup that cannot be opened.
 */
int event_set_cgroups(struct event_list *list, const char *text, struct ts_error *err);
/*
 * --filter: for the tracepoints that the last event_parse() added. -EINVAL if there are none, or if
 * a parenthesis or a quote of it has no partner.
 */
int event_set_filter(struct event_list *list, const char *filter, struct ts_error *err);
void event_list_release(struct event_list *list); /* accepts a zeroed one; idempotent */

/*
 * The name that the event gets when the kernel is left out of it, as perf does for an ordinary user
 * under perf_event_paranoid >= 2: with ":u". False if the event asks for the kernel only.
 */
bool event_user_name(const struct event *event, char *buf, size_t len);

/* True if the name is this event's: as stored, or without its modifiers. */
bool event_is_named(const struct event *event, const char *name);

#endif
