/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The further captures of a report: report -i A -i B.
 *
 * Each capture is opened, selected and counted as if it were alone; then its stacks are added to
 * those of the first. Events with equal names are one event. Captures are told apart by host or, if
 * two have the same host, by path.
 *
 *	joined_captures_open()       captures, hosts, events
 *	joined_captures_run()        one after the other: chunks, names and maps, stacks
 *	joined_captures_overviews()  the overview of each capture
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

struct joined { /* one further capture */
	struct capture capture;
	const char *host; /* its name: host or path */
	uint32_t *events; /* by its own event: number in joined_captures.events */
	struct selection selection;
	struct chunk_table chunks;
	struct tasks *tasks;
	struct symbols *symbols;
	struct capture_facts capture_facts;
	struct damage damage;
	bool is_merged;		  /* all damage is in `damage` */
	struct ts_notes warnings; /* files that could not be used; the command prints them */
	uint64_t nr_samples, nr_bad, nr_unknown, nr_newer, nr_cut;
	double percent; /* percentage that was counted; less than 100 after ^C */
};

struct joined_captures {
	struct joined *items;
	size_t nr;
	const char *host;	 /* name of the first capture */
	uint64_t nr_samples;	 /* of the first capture */
	struct ts_events events; /* of all captures, the first one's first; without ids */
	bool are_apart;		 /* events with equal names are two: for a comparison */
};

/* The first capture must outlive *j. */
int joined_captures_open(struct joined_captures *j, const struct capture *first,
			 const char *const *paths, size_t nr, bool are_apart, struct ts_error *err);
/*
 * Adds the stacks of all further captures to *a, which has those of the first. plan and text are
 * those of the first. After ^C the other captures are left out.
 */
int joined_captures_run(struct joined_captures *j, struct aggregate *a,
			const struct aggregate_plan *plan, const struct selection_text *text,
			struct ts_error *err);
/* Opens ret[0 .. j->nr-1], which the caller closes. Returns 0 or -ENOMEM. */
int joined_captures_overviews(struct joined_captures *j, bool is_partly_read, struct overview *ret);
/*
 * Merges the damage that the passes over one capture found, each place once. Returns 0 or -ENOMEM.
 */
int joined_captures_merge_damage(struct joined *item);
void joined_captures_close(struct joined_captures *j); /* accepts a zeroed one; idempotent */

#endif
