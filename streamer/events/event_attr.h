/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the attr to be opened from an event and the options of the recording. The attr is that of
 * perf record, except for the needs of this recorder's files. Decision 30, "Event attrs are perf
 * record's, except for listed fields", has all differences in one table.
 *
 * Threads: pure functions.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_ATTR_H
#define TS_STREAMER_EVENTS_EVENT_ATTR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/events/event.h"

/* The sample_type of all our events; some add further bits. */
#define EVENT_BASE_SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

#define EVENT_FREQ_MAX		UINT64_MAX /* -F max */
#define EVENT_FREQ_DEFAULT	4000	   /* Hz */
#define EVENT_DWARF_STACK_BYTES 8192
#define EVENT_DWARF_STACK_MAX	65528

/* -W: includes the latencies of an instruction if the machine has them. */
#if defined(__x86_64__) || defined(__powerpc__)
#define EVENT_SAMPLE_WEIGHT PERF_SAMPLE_WEIGHT_STRUCT
#else
#define EVENT_SAMPLE_WEIGHT PERF_SAMPLE_WEIGHT
#endif

#define EVENT_CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

struct event_options {
	/* as given */
	uint64_t freq;	 /* -F, Hz; EVENT_FREQ_MAX; 0: not given */
	uint64_t period; /* -c; 0: not given */
	enum event_callgraph callgraph;
	uint32_t stack_bytes; /* of --call-graph dwarf; 0: EVENT_DWARF_STACK_BYTES */
	uint64_t sample_bits; /* PERF_SAMPLE_*: added to each sample by -d, -R, -W and the like */
	uint64_t intr_regs, user_regs; /* -I, --user-regs: bits of attr.sample_regs_*; 0: none */
	uint64_t branches;	       /* -b, -j: attr.branch_sample_type; 0: none */
	bool kernel_callchains, user_callchains; /* only this part of call chains */
	bool thread_counts;			 /* -s: the counts of each thread, at its end */
	bool no_samples;			 /* -n */
	bool overwrite; /* the newest samples replace the oldest, unless an event says otherwise */
	bool switch_events;	/* side-band has context switches */
	bool without_build_ids; /* maps come with device and inode (--no-buildid-mmap) */
	bool strict_freq;	/* a frequency above the kernel's limit is an error */
	bool use_clockid;
	int clockid;		   /* CLOCK_MONOTONIC, ...; with use_clockid */
	bool user_only;		   /* an ordinary user under perf_event_paranoid >= 2 */
	bool enable_on_exec;	   /* samples of a command begin with its exec */
	bool inherit;		   /* tasks that a target creates are recorded, too */
	bool all_user, all_kernel; /* only user mode, only the kernel, for all events */
	bool namespaces;	   /* side-band has namespaces; for the privileged only */
	/* by event_options_settle() */
	bool is_rate_given; /* -F or -c was given: it counts for tracepoints, too */
};

/*
 * Checks the frequency against kernel.perf_event_max_sample_rate (`max_rate`, 0: unknown), and
 * lowers it with a note. Replaces EVENT_FREQ_MAX. -EINVAL, with a sentence, for contradictions.
 */
int event_options_settle(struct event_options *options, uint64_t max_rate, struct ts_notes *notes,
			 struct ts_error *err);

/*
 * Parses the value of --call-graph into callgraph and stack_bytes: "fp", "dwarf", "dwarf,4096". The
 * number is rounded up to a multiple of 8, and is at most 65528.
 */
int event_parse_callgraph(const char *text, enum event_callgraph *ret, uint32_t *ret_stack_bytes,
			  struct ts_error *err);

/*
 * Parses -k: "mono", "monotonic", "mono_raw", "boottime", "real", "realtime", "tai", or a number.
 */
int event_parse_clock(const char *text, int *ret_clockid, struct ts_error *err);

/*
 * Chooses the clock without -k: CLOCK_MONOTONIC, if reading it is cheap and no event is precise
 * with a fixed period. (The PMU buffers such events only with its own clock.) Otherwise the
 * kernel's own clock stays. `clocksource_path` NULL: EVENT_CLOCKSOURCE.
 */
void event_default_clock(const struct event_list *list, const char *clocksource_path,
			 struct event_options *options);

/* True if the samples of the event go into a backward ring (ring_backward.h). */
bool event_overwrites(const struct event *event, const struct event_options *options);

/* Makes the attr of a sample event. It is always disabled. */
void event_attr(const struct event *event, const struct event_options *options,
		struct perf_event_attr *ret);

/* True if side-band must have maps of data: samples have data addresses or stacks. */
bool event_wants_data_maps(const struct event_list *list, const struct event_options *options);
/* -EINVAL if stacks of this architecture cannot be recorded for unwinding. */
int event_check_callgraph(const struct event_list *list, const struct event_options *options,
			  struct ts_error *err);

/* Makes the attr of a side-band dummy: mmap2, comm, task and so on. It is always disabled. */
void event_attr_sideband(const struct event_options *options, bool data_maps,
			 struct perf_event_attr *ret);

/*
 * Makes the attr of the dummy that a ring is mapped on. The kernel wakes its poller at
 * watermark_bytes. A backward ring has no poller.
 */
void event_attr_owner(const struct event_options *options, uint32_t watermark_bytes,
		      bool is_backward, struct perf_event_attr *ret);

/* Is it ftrace:function? The kernel refuses callchains of user space and dumped stacks with it. */
bool event_attr_is_function_trace(const struct event *event);

#endif
