/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The captures of a report beside its first one: report -i A -i B.
 *
 * Each is opened, selected from and counted as if it were alone, and its stacks are added to those of
 * the first. Its events are the first one's where they are called the same. A capture is told from
 * the others by its host, or, where two are of the same host, by its path.
 *
 *	joined_captures_open()       captures, hosts, events
 *	joined_captures_run()        one after the other: chunks, names and maps, stacks
 *	joined_captures_overviews()  what each is worth
 *
 * Threads: main thread only; joined_captures_run() uses several.
 */
#ifndef TS_READER_REPORT_JOINED_CAPTURES_H
#define TS_READER_REPORT_JOINED_CAPTURES_H

#include "common/base/notes.h"
#include "reader/capture/capture.h"
#include "reader/chunks/selection.h"
#include "reader/runtime/progress.h"
#include "reader/stacks/aggregate.h"
#include "reader/trust/overview.h"

struct joined { /* one of them */
	struct capture capture;
	const char *host; /* what it is called */
	uint32_t *events; /* by its own event: the number in join.events */
	struct selection selection;
	struct chunk_table chunks;
	struct ts_tasks *tasks;
	struct symbols *symbols;
	struct capture_facts capture_facts;
	struct damage damage;
	bool is_merged;		  /* all of it is in there */
	struct ts_notes warnings; /* files that could not be used: the command's to print */
	uint64_t nr_samples, nr_bad, nr_unknown, nr_cut;
	double percent; /* of its samples that were counted; less than 100 after ^C */
};

struct joined_captures {
	struct joined *items;
	size_t nr;
	const char *host;	 /* what the first one is called */
	uint64_t nr_samples;	 /* of the first one */
	struct ts_events events; /* of all, the first one's first; without ids */
};

/* The first capture outlives it. */
int joined_captures_open(struct joined_captures *j, const struct capture *first,
			 const char *const *paths, size_t nr, struct ts_error *err);
/* Adds all to the first one's *a. plan and text are those of the first. After ^C the rest is left out. */
int joined_captures_run(struct joined_captures *j, struct aggregate *a,
			const struct aggregate_plan *plan, const struct selection_text *text,
			struct ts_error *err);
/* Opens ret[0 .. j->nr-1], the caller's to close. -ENOMEM. */
int joined_captures_overviews(struct joined_captures *j, bool is_partly_read, struct overview *ret);
/* Names each damaged place of one of them once, whichever passes met it. -ENOMEM. */
int joined_captures_merge_damage(struct joined *item);
void joined_captures_close(struct joined_captures *j); /* accepts a zeroed one; idempotent */

#endif
