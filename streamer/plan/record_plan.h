/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a recording: all decisions that are made before anything is opened.
 *
 * It is made from the options, the topology and the limits of this user, and from nothing else.
 * `--dry-run` prints it, a recording executes it. It owns the layout of the writers and the list of
 * rings (struct source, not opened yet).
 *
 * Opening may still change facts that only the kernel knows: the sizes of rings
 * (record_plan_halve_rings()), the attrs and names of `source`, as the kernel took them, and the
 * command's number in options->target.
 *
 * Threads: made by the main thread. It is constant once recording_open() has returned, except for
 * the rings and descriptors of `source`, which come and go with CPUs.
 */
#ifndef TS_STREAMER_PLAN_RECORD_PLAN_H
#define TS_STREAMER_PLAN_RECORD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/layout/layout.h"
#include "streamer/plan/record_options.h"
#include "streamer/rings/source.h"
#include "streamer/targets/privilege.h"
#include "streamer/writer/sink.h"

struct record_plan {
	struct record_options *options; /* not owned; outlives the plan */
	struct privilege privilege;
	struct layout_machine machine;
	struct layout layout;
	struct source source;	      /* rings sorted by writer */
	uint64_t sample_ring_bytes;   /* of one, a power of two of pages */
	uint64_t sideband_ring_bytes; /* of one */
	uint32_t nr_buffers;	      /* a writer */
	uint64_t buffer_bytes;	      /* of one */
	bool drops_output;	      /* -o /dev/null */
	bool enables_on_exec;	      /* samples begin at the command's exec */
	int log_fd;		      /* of a daemon: for its runners' output; -1; not owned */
};

/*
 * Makes the plan. Notes report each difference from the options. -EINVAL (or another code), with a
 * sentence: this machine or this user cannot do it.
 */
int record_plan_init(struct record_plan *plan, struct record_options *options,
		     struct ts_notes *notes, struct ts_error *err);
void record_plan_release(struct record_plan *plan); /* accepts a zeroed or half-made one */

/*
 * Halves the rings for samples, or for side-band if these are still large by default. False: they
 * have a single page.
 */
bool record_plan_halve_rings(struct record_plan *plan);
uint64_t record_plan_ring_bytes(const struct record_plan *plan, const struct source_ring *ring);
/* True if some events are overwritten, so that there are dumps. */
bool record_plan_overwrites(const struct record_plan *plan);
/* Bytes in a ring of the plan at which its writer is woken. */
uint32_t record_plan_watermark(const struct record_plan *plan, enum ts_ring_kind kind);
/* The number of rings for side-band, or for samples, without those that are absent. */
uint64_t record_plan_count_rings(const struct record_plan *plan, bool sideband);
/* Bytes of all rings (control pages included), and of all buffers. */
uint64_t record_plan_rings_total(const struct record_plan *plan);
uint64_t record_plan_buffers_total(const struct record_plan *plan);
/* How writers write; SINK_AUTO: decided when they are set up. */
enum sink_kind record_plan_sink(const struct record_plan *plan);
/*
 * True if the end of many targets is found by the processes that the filter of side-band knows, not
 * by a descriptor for each thread.
 */
bool record_plan_watches_processes(const struct record_plan *plan);
/* Descriptors that opening takes, for that many target threads. */
uint64_t record_plan_descriptors(const struct record_plan *plan,
				 const struct target_counts *threads);

#endif
