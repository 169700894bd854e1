/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a capture while it is being recorded, step by step. Each step gives the records that have
 * come since the previous step, up to the time before which all streams are complete
 * (live_capture.h).
 *
 *	streams   ====|====|==--       == read before   ++ this step   -- not due yet
 *	streams   ====|====|++++|--
 *	                        ^ until_ns
 *
 * A stream that has grown is mapped again, and the walk goes on from the end of its last whole
 * chunk. So only the few chunks that lie across the end of a step are read twice. Records that come
 * later than --flush promises are given with the next step, and their chunks are counted.
 *
 * The caller owns the objects and reads them between two steps as with any capture. The table has
 * the chunks of the step, names and maps grow, and modules keep their symbols. Following ends with
 * the recording, or when the progress of the capture is stopped.
 *
 * Threads: main thread only; between two steps any number may read.
 */
#ifndef TS_READER_ORDER_FOLLOW_H
#define TS_READER_ORDER_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/notes.h"
#include "reader/capture/capture.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/selection.h"
#include "reader/symbols/symbol.h"

/*
 * The caller's. The capture is open and has its progress; the others are zeroed. The caller closes
 * them.
 */
struct follow_objects {
	struct capture *capture;
	struct selection *selection;
	struct chunk_table *table;
	struct tasks **tasks;
	struct symbols **symbols;
	struct damage *damage;
	struct ts_notes *warnings; /* the caller's to print after each step; may be NULL */
};

struct follow {
	struct follow_objects o;
	const struct selection_text *text;
	unsigned int nr_workers;
	uint64_t period_ns; /* between two steps */
	int dir_fd;	    /* of the directory, even after a rename; -1: a file */
	size_t cap;	    /* chunks that the table has room for */
	uint64_t *next;	    /* by stream: where its next chunk begins */
	uint64_t *last_ns;  /* by stream: the highest time of its chunks */
	uint64_t step_ns;   /* when the next step is due */
	uint64_t from_ns;   /* where --last begins; 0: not known yet, or without */
	uint64_t until_ns;  /* all records up to there were given */
	uint64_t given_ns;  /* the highest time of a given sample */
	uint64_t nr_late;   /* chunks with records that should have been there before */
	uint64_t nr_lost;   /* records lost while recording, as in the chunks */
	bool has_begun;
	bool has_ended;	 /* the recording is over: this step is the last */
	bool was_killed; /* and its recorder did not note its end */
	bool was_running;
	bool is_restarted; /* the header has more: names and symbols began anew */
	/* the caller's, after follow_open(): */
	bool counts_again; /* a step after a restart gives everything from the beginning */
	bool is_window;	   /* --last moves along, and each step gives all of it */
};

/* The objects and the text outlive it. */
void follow_open(struct follow *f, const struct follow_objects *o,
		 const struct selection_text *text, uint64_t period_ns, unsigned int nr_workers);
/*
 * Waits for the next step. 1: the objects are those of the step. 0: the last step was given before,
 * or following must stop.
 */
int follow_next(struct follow *f, struct ts_error *err);
void follow_close(struct follow *f); /* accepts a zeroed one; idempotent */

#endif
