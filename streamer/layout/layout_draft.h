/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout in the making: what the files layout*.c share; of no use to others. Functions that fail
 * word it in draft->err and return -errno.
 *
 * Threads: as layout.h.
 */
#ifndef TS_STREAMER_LAYOUT_LAYOUT_DRAFT_H
#define TS_STREAMER_LAYOUT_LAYOUT_DRAFT_H

#include "streamer/layout/layout.h"

struct layout_draft { /* what the steps share */
	const struct layout_input *in;
	struct layout *layout;
	hwloc_bitmap_t wanted; /* whose samples are recorded; all online */
	const char *option;    /* what the sentences blame: "-C", "--threads=..." */
	struct ts_notes *notes;
	struct ts_error *err;
};

int draft_no_memory(const struct layout_draft *draft);
/* The error "cannot lay out the writers [OPTION]: CPUs 4-7 are ..."; 0 if the set is empty. */
int draft_refuse_cpus(const struct layout_draft *draft, hwloc_const_bitmap_t set,
		      const char *are_what);
/* A note of the same form; none if the set is empty. */
void draft_note_cpus(const struct layout_draft *draft, hwloc_const_bitmap_t set,
		     const char *are_what);

/* Removes the offline CPUs from a set that a person named; refuses what the machine lacks. */
int draft_settle_named(const struct layout_draft *draft, hwloc_bitmap_t set);
/* Adds a writer with empty sets; NULL: out of memory. */
struct layout_writer *draft_add_writer(struct layout_draft *draft);

/* --- steps 2 and 3 of layout.c: writers, with their masks and where they run --- */

/* For a keyword of --threads; -ENOENT, without a sentence: it is none. */
int draft_add_keyword(struct layout_draft *draft, const char *spec);
/* Without --threads. */
int draft_add_by_size(struct layout_draft *draft);
/* For the pairs of --threads. */
int draft_add_masks(struct layout_draft *draft);
/* Two user masks must not share a CPU to run on, as with perf: one would wait for the other. */
int draft_check_affinities(const struct layout_draft *draft);

#endif
