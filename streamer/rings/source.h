/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side of the path: every perf_event descriptor of the capture.
 *
 *	owner (dummy of this process, one a ring)  <- mapped and polled by ring.h
 *	   ^ PERF_EVENT_IOC_SET_OUTPUT
 *	sample events (one a CPU, event and target thread), side-band dummies (one a CPU and thread)
 *
 * A ring is mapped on an owner, because a task's own event polls as hung up for ever once the task
 * is gone, also while others still write to its ring. The kernel redirects only to an owner that is
 * mapped already, hence the order: source_open_owners(), map every ring, source_open_events().
 *
 * Threads: the main thread opens, enables and closes. Owners' descriptors are polled by writers;
 * they stay open until source_release(), which comes after the writers have been joined.
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
#include "streamer/targets/privilege.h"
#include "streamer/targets/target.h"

/*
 * A ring to be mapped: what layout and events ask for. A CPU has one of samples and one of those that
 * are overwritten, if there are events of both; the kernel takes one direction in a ring.
 */
struct source_ring {
	enum ts_ring_kind kind;
	unsigned int cpu;
	unsigned int writer; /* index into layout.writers */
	int fd;		     /* owner's descriptor; -1 before source_open_owners(), and if: */
	bool is_absent;	     /* its CPU has been offline all the time: see source_admit() */
};

enum source_fd_state {
	SOURCE_FD_LIVE,
	SOURCE_FD_DETACHED, /* its CPU went offline, and the kernel took the event off it for good */
	SOURCE_FD_REPLACED, /* and another was opened when the CPU came back */
};

/* One open descriptor of a sample event or a side-band dummy. */
struct source_fd {
	int fd;
	enum source_fd_state state;
	bool is_on;	/* it is, or would be, enabled by us */
	uint32_t event; /* index into source.attrs; the last one is the side-band dummy */
	uint32_t ring;	/* index into source.rings that it writes to */
	pid_t tid;	/* -1: everybody on the CPU */
	uint64_t id;	/* PERF_EVENT_IOC_ID */
};

struct source_lost { /* records that found no room in a ring, by PERF_FORMAT_LOST */
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
	/* owned; one an event, then the side-band dummy's; as opened after source_open_events() */
	struct perf_event_attr *attrs;
	char **names; /* owned; of attrs, as perf stores them */
	size_t nr_attrs;
	struct source_fd *fds; /* owned */
	size_t nr_fds;
	size_t cap_fds;
	size_t nr_filtered; /* the first so many of them have their filters */
	bool counts_lost;   /* the kernel knows PERF_FORMAT_LOST (Linux >= 6.0) */
};

/*
 * Makes the list of rings from the plan; opens nothing. events, target and privilege must outlive
 * the source.
 */
int source_init(struct source *source, const struct event_list *events,
		const struct event_options *options, const struct target *target,
		const struct layout *layout, const struct privilege *privilege,
		struct ts_error *err);

/* Descriptors that opening takes, for `nr_threads` target threads (1 for everybody). */
uint64_t source_descriptors(const struct source *source, size_t nr_threads);

/* Opens the owner of each ring; from a watermark of that many bytes its poller wakes. */
int source_open_owners(struct source *source, uint32_t sample_watermark_bytes,
		       uint32_t sideband_watermark_bytes, struct ts_error *err);

/* Closes the owners again, to open them with another watermark; nothing may be mapped on them. */
void source_close_owners(struct source *source);

/*
 * Opens sample events and side-band dummies of every CPU and target thread, all disabled, redirects
 * them to their rings, collects their ids. Every ring must be mapped on its owner.
 * Falls back where the kernel lacks an attr bit or where `cycles` is missing (cpu-clock), with a
 * note; attrs and names are then what was really opened. -ESRCH: no target is left; -EMFILE: there
 * are too few descriptors.
 */
int source_open_events(struct source *source, struct ts_notes *notes, struct ts_error *err);

/*
 * Sets the filters of --filter and, where `self` is not NULL, of the recorder itself
 * (self_filter.h), which both must then let an event through, on descriptors that are new since the
 * last time; before they are enabled.
 * Where `self` cannot be applied a note names the events. -EINVAL: the kernel refuses an expression;
 * -E2BIG: there are so many threads to be left out that it does not take the filter.
 */
int source_set_filters(struct source *source, const char *self, struct ts_notes *notes,
		       struct ts_error *err);

/* The events as the capture describes them: attrs (size 120), names, ids. */
int source_describe(const struct source *source, struct ts_events *ret, struct ts_error *err);

/* Enables the side-band dummies, for the rest of the capture. */
int source_enable_sideband(struct source *source, struct ts_error *err);
/*
 * Enables or disables sample events: all, or the one of this name (NULL: all). -ENOENT if no event
 * has it.
 */
int source_enable(struct source *source, const char *name, struct ts_error *err);
int source_disable(struct source *source, const char *name, struct ts_error *err);
/* Stops everything, side-band included. */
void source_disable_all(struct source *source);

/*
 * A CPU went offline: the kernel has taken what records the CPU off it, and does not put it back.
 * Events of tasks stay; they go on when the CPU does. What the descriptors lost can still be read.
 */
void source_detach(struct source *source, unsigned int cpu);
/*
 * It is back: opens what was detached anew, for the same rings, disabled; *ret_first is the index of
 * the first new descriptor, nr_fds where there is none. -ENODEV: it is not ready yet. On failure
 * nothing has changed.
 */
int source_reopen(struct source *source, unsigned int cpu, size_t *ret_first, struct ts_error *err);
/*
 * A CPU that was offline when the source was made is there: opens the owners of its rings, which are
 * then to be mapped, and source_open_admitted() opens what records the CPU, disabled, with ret_first
 * as above. Until that has succeeded the rings are absent, and source_dismiss() closes the owners
 * again; nothing may be mapped on them then. source_expects(): there are such rings.
 */
bool source_expects(const struct source *source, unsigned int cpu);
uint64_t source_admitted_descriptors(const struct source *source, unsigned int cpu);
int source_admit(struct source *source, unsigned int cpu, uint32_t sample_watermark_bytes,
		 uint32_t sideband_watermark_bytes, struct ts_error *err);
int source_open_admitted(struct source *source, unsigned int cpu, size_t *ret_first,
			 struct ts_error *err);
void source_dismiss(struct source *source, unsigned int cpu);
/* Enables what was opened anew, from that index on, where the one before it was. */
int source_resume(struct source *source, size_t first, struct ts_error *err);

/*
 * Totals of lost records by event and ring, only where there were any; call after everything has
 * been disabled. The caller frees *ret. 0 rows where the kernel does not count (counts_lost false).
 */
int source_read_lost(const struct source *source, struct source_lost **ret, size_t *ret_nr,
		     struct ts_error *err);

void source_release(
	struct source *source); /* closes everything; accepts a zeroed one; idempotent */

#endif
