/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side of the path: all perf_event descriptors of the capture.
 *
 *	owner (dummy of this process, one a ring)  <- mapped and polled by ring.h
 *	   ^ PERF_EVENT_IOC_SET_OUTPUT
 *	sample events (one a CPU, event and target thread), side-band dummies (one a CPU and thread,
 *	or one a CPU: is_wide)
 *
 * A ring is mapped on an owner. A task's own event would poll as hung up for ever once the task is
 * gone, although others still write to its ring. The kernel redirects only to an owner that is
 * mapped already. Hence the order: source_open_owners(), map all rings, source_open_events().
 *
 * Threads: the main thread opens, enables and closes. Writers poll the owners' descriptors, and
 * pause those of backward rings. They stay open until source_release(), which is called after the
 * writers have been joined.
 */
#ifndef TS_STREAMER_RINGS_SOURCE_H
#define TS_STREAMER_RINGS_SOURCE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "common/perf/record.h"
#include "common/stream/chunk.h"
#include "streamer/events/event.h"
#include "streamer/events/event_attr.h"
#include "streamer/layout/layout.h"
#include "streamer/rings/task_filter.h"
#include "streamer/targets/privilege.h"
#include "streamer/targets/target.h"

/*
 * A ring to be mapped. Layout and events determine the rings. A CPU has one ring for samples and
 * one for overwritten samples, if there are events of both kinds: all events of a ring must write
 * in one direction.
 */
struct source_ring {
	enum ts_ring_kind kind;
	unsigned int cpu;
	unsigned int writer; /* index into layout.writers */
	int fd;		/* the owner's descriptor; -1 before source_open_owners() or if is_absent */
	bool is_absent; /* its CPU was never online: see source_admit() */
};

enum source_fd_state {
	SOURCE_FD_LIVE,
	SOURCE_FD_DETACHED, /* its CPU went offline: the kernel removed the event for good */
	SOURCE_FD_REPLACED, /* detached, and another was opened when the CPU came back */
};

/* One open descriptor of a sample event or a side-band dummy. */
struct source_fd {
	int fd;
	enum source_fd_state state;
	bool is_on;	/* we enabled it, or would have */
	uint32_t event; /* index into source.attrs; the last one is the side-band dummy */
	uint32_t ring;	/* the ring that it writes to, as an index into source.rings */
	pid_t tid;	/* -1: all tasks on the CPU */
	uint64_t id;	/* PERF_EVENT_IOC_ID */
};

struct source_lost { /* records that did not fit into a ring, by PERF_FORMAT_LOST */
	uint32_t event, ring;
	uint64_t records;
};

struct source {
	/* given by source_init(), not owned */
	const struct event_list *events;
	const struct target *target;
	const struct privilege *privilege;
	struct event_options options; /* a copy */
	struct source_ring *rings;    /* owned; sorted by writer, kind (side-band last), cpu */
	size_t nr_rings;
	/*
	 * Owned. One for each event, then the side-band dummy's. Final after source_open_events().
	 */
	struct perf_event_attr *attrs;
	char **names; /* owned; of attrs, as perf stores them */
	size_t nr_attrs;
	struct source_fd *fds; /* owned */
	size_t nr_fds;
	size_t cap_fds;
	/*
	 * With `is_wide` side-band has one dummy a CPU, for all tasks. The filter leaves out those
	 * that are no targets. source_open_events() makes it.
	 */
	bool is_wide;
	struct task_filter tasks;
	size_t nr_filtered; /* the number of fds, from the first on, that have their filters */
	bool counts_lost;   /* the kernel knows PERF_FORMAT_LOST (Linux >= 6.0) */
};

/*
 * Makes the list of rings from the plan, and opens nothing. events, target and privilege must
 * outlive the source.
 */
int source_init(struct source *source, const struct event_list *events,
		const struct event_options *options, const struct target *target,
		const struct layout *layout, const struct privilege *privilege,
		struct ts_error *err);

/*
 * Sets is_wide if processes or threads are recorded that have more than 64 threads, and this user
 * may record whole CPUs. With --switch-events is_wide stays false: the switches of all tasks would
 * be too many.
 */
void source_choose_width(struct source *source);

/* The number of descriptors to be opened for so many target threads (1 for a whole CPU). */
uint64_t source_descriptors(const struct source *source, const struct target_counts *threads);

/*
 * Opens the owner of each ring. The watermarks say at how many bytes the kernel wakes the poller.
 */
int source_open_owners(struct source *source, uint32_t sample_watermark_bytes,
		       uint32_t sideband_watermark_bytes, struct ts_error *err);

/* Closes the owners, to open them again with another watermark. No ring may be mapped on them. */
void source_close_owners(struct source *source);

/*
 * Opens sample events and side-band dummies of all CPUs and target threads, all disabled, redirects
 * them to their rings and collects their ids. Each ring must be mapped on its owner. Falls back
 * with a note if the kernel lacks an attr bit, or to cpu-clock if `cycles` is missing. Then attrs
 * and names describe the events that were really opened. Errors: -ESRCH if no target is left,
 * -EMFILE if there are too few descriptors.
 */
int source_open_events(struct source *source, struct ts_notes *notes, struct ts_error *err);

/*
 * Sets filters on all descriptors that are new since the last call. Call it before they are
 * enabled. The filters are those of --filter and, if `self` is not NULL, the one that leaves the
 * recorder out (self_filter.h). An event must then pass both. A note names the events to which
 * `self` cannot be applied. -EINVAL: the kernel refuses an expression. -E2BIG: so many threads are
 * to be left out that the filter is too long for the kernel.
 */
int source_set_filters(struct source *source, const char *self, struct ts_notes *notes,
		       struct ts_error *err);

/* Lists the events as the capture describes them: attrs (size 120), names, ids. */
int source_describe(const struct source *source, struct ts_events *ret, struct ts_error *err);

/* Enables the side-band dummies, for the rest of the capture. */
int source_enable_sideband(struct source *source, struct ts_error *err);
/*
 * Enables or disables sample events: those with this name, or all if `name` is NULL. -ENOENT: no
 * event has that name.
 */
int source_enable(struct source *source, const char *name, struct ts_error *err);
int source_disable(struct source *source, const char *name, struct ts_error *err);
/* Disables all events, side-band included. */
void source_disable_all(struct source *source);

/*
 * A CPU went offline: the kernel has removed the events that record the CPU and will not restore
 * them. Events of tasks stay and continue with the CPU. The lost counts of the detached descriptors
 * can still be read.
 */
void source_detach(struct source *source, unsigned int cpu);
/*
 * The CPU is back: opens new events in place of the detached ones, for the same rings, disabled.
 * Sets *ret_first to the index of the first new descriptor, or to nr_fds if there is none. Errors:
 * -ENODEV if the CPU is not ready yet. On failure nothing has changed.
 */
int source_reopen(struct source *source, unsigned int cpu, size_t *ret_first, struct ts_error *err);
/*
 * For a CPU that was offline when the source was made and is online now:
 *
 * - source_expects() says if the source has absent rings of that CPU, and
 *   source_admitted_descriptors() how many descriptors the next two steps need.
 * - source_admit() opens the owners of its rings. The caller then maps the rings.
 * - source_open_admitted() opens the events that record the CPU, disabled, with ret_first as above.
 * - source_dismiss() closes the owners again; no ring may be mapped on them any more.
 *
 * The rings are absent until source_open_admitted() has succeeded.
 */
bool source_expects(const struct source *source, unsigned int cpu);
uint64_t source_admitted_descriptors(const struct source *source, unsigned int cpu);
int source_admit(struct source *source, unsigned int cpu, uint32_t sample_watermark_bytes,
		 uint32_t sideband_watermark_bytes, struct ts_error *err);
int source_open_admitted(struct source *source, unsigned int cpu, size_t *ret_first,
			 struct ts_error *err);
void source_dismiss(struct source *source, unsigned int cpu);
/* Enables the new descriptors from index `first` on whose predecessor was enabled. */
int source_resume(struct source *source, size_t first, struct ts_error *err);

/*
 * Reads the totals of lost records by event and ring, only those that are not 0. Call it after all
 * events have been disabled. The caller frees *ret. 0 rows if the kernel does not count
 * (counts_lost is false).
 */
int source_read_lost(const struct source *source, struct source_lost **ret, size_t *ret_nr,
		     struct ts_error *err);

/*
 * The side-band that the kernel has lost so far; 0 if it does not count. A count that cannot be
 * read is left out.
 */
uint64_t source_sideband_lost(const struct source *source);

/* Closes everything. Accepts a zeroed one; idempotent. */
void source_release(struct source *source);

#endif
