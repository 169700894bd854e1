/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of -e. Each has the part of its attr that its text alone determines.
 *
 * The syntax is perf's: software and generic hardware names, cache names, subsystem:event
 * tracepoints with wildcards, raw rNNN, mem:ADDR breakpoints, sysfs PMU syntax, modifiers, terms.
 * Options of the recording (frequency, call graphs, clock, ...) are added in event_attr.h. The
 * names of events are those that perf stores, because `report` and `script` show them.
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

/* The value of -g, --call-graph and the term call-graph=. */
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
	bool is_default;	   /* not asked for: the cycles of event_add_default() */
	bool precise_max;	   /* precise_ip is the highest that the machine allows */
	/* terms; 0 or EVENT_CALLGRAPH_UNSET if not given */
	uint64_t period, freq;
	enum event_callgraph callgraph;
	uint32_t stack_bytes;
	uint32_t max_stack; /* entries */
	bool no_inherit;
	bool overwrite, no_overwrite; /* neither: --overwrite decides */
	char *map; /* owned; of bpf-output: the path of the map for the event; NULL: none */
};

struct event_list {
	struct event *items; /* owned */
	size_t nr;
	size_t nr_cgroups; /* number of names that event_set_cgroups() was given */
	size_t nr_last;	   /* number of events of the last event_parse(): --filter is for these */
};

/*
 * The folders that list events. A NULL member means the machine's own folder. Tests use other
 * folders.
 */
struct event_roots {
	const char *tracefs; /* a folder that holds events/; NULL: the mounted tracefs */
	const char *pmus;    /* /sys/bus/event_source/devices */
};

/* Adds an event with no name and an empty attr; NULL: out of memory. */
struct event *event_list_add(struct event_list *list);
/*
 * Adds the events of one -e value (a comma list). Adds none on failure. -EINVAL, with a sentence
 * that names the event and its fault; -ENOENT for an unknown event.
 */
int event_parse(struct event_list *list, const char *text, const struct event_roots *roots,
		struct ts_error *err);
/*
 * Adds the default event, without any -e: cycles, as precise as the machine allows. On AMD it
 * includes the cycles of guests.
 */
int event_add_default(struct event_list *list, struct ts_error *err);
/*
 * Adds the cgroups of one -G value. The n-th name over all calls is the cgroup of the n-th event;
 * an empty name means no cgroup. A single name is the cgroup of all events so far. -EINVAL if there
 * are fewer events; -errno for a cgroup that cannot be opened.
 */
int event_set_cgroups(struct event_list *list, const char *text, struct ts_error *err);
/*
 * Sets --filter for the tracepoints that the last event_parse() added. -EINVAL if there are none,
 * or if a parenthesis or a quote of the filter has no partner.
 */
int event_set_filter(struct event_list *list, const char *filter, struct ts_error *err);
void event_list_release(struct event_list *list); /* accepts a zeroed one; idempotent */

/*
 * Makes the name of the event without the kernel, with ":u", as perf names it for an ordinary user
 * under perf_event_paranoid >= 2. False if the event is for the kernel only.
 */
bool event_user_name(const struct event *event, char *buf, size_t len);

/* True if the event has this name, as stored or without its modifiers. */
bool event_is_named(const struct event *event, const char *name);

#endif
