/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout that is being made. Shared by the files layout*.c alone. Functions that fail set
 * draft->err and return -errno.
 *
 * Threads: the same as in layout.h.
 */
#ifndef TS_STREAMER_LAYOUT_LAYOUT_DRAFT_H
#define TS_STREAMER_LAYOUT_LAYOUT_DRAFT_H

#include "streamer/layout/layout.h"

struct layout_draft { /* context for all steps */
	const struct layout_input *in;
	struct layout *layout;
	hwloc_bitmap_t wanted; /* CPUs whose samples are recorded; all are online */
	const char *option;    /* named by messages: "-C", "--threads=..." */
	struct ts_notes *notes;
	struct ts_error *err;
};

int layout_draft_no_memory(const struct layout_draft *draft);
/*
 * Sets the error "cannot lay out the writers [OPTION]: CPUs 4-7 are ..."; returns 0 if the set is
 * empty.
 */
int layout_draft_refuse_cpus(const struct layout_draft *draft, hwloc_const_bitmap_t set,
			     const char *are_what);
/* Adds a note of the same form, unless the set is empty. */
void layout_draft_note_cpus(const struct layout_draft *draft, hwloc_const_bitmap_t set,
			    const char *are_what);

/* Removes offline CPUs from a set that the user gave. Refuses CPUs that the machine lacks. */
int layout_draft_settle_named(const struct layout_draft *draft, hwloc_bitmap_t set);
/* Adds a writer with empty sets; NULL: out of memory. */
struct layout_writer *layout_draft_add_writer(struct layout_draft *draft);

/* --- steps 2 and 3 of layout.c: writers, their masks and the CPUs that they run on --- */

/* Adds writers for a keyword of --threads. -ENOENT, without a sentence: `spec` is no keyword. */
int layout_draft_add_keyword(struct layout_draft *draft, const char *spec);
/* Adds writers if --threads is not given. */
int layout_draft_add_by_size(struct layout_draft *draft);
/* Adds writers for the pairs of --threads. */
int layout_draft_add_masks(struct layout_draft *draft);
/*
 * Refuses two user masks that share a CPU to run on, as perf does: one writer would wait for the
 * other.
 */
int layout_draft_check_affinities(const struct layout_draft *draft);

#endif
