/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: the wanted records of opened chunks, each run sorted by time.
 *
 *	chunk --open--> run --close--> its memory serves the next one
 *	                 |  ^
 *	       set aside |  | taken up: the chunk is loaded again
 *	                 v  |
 *	        the time of its next record
 *
 * Compressed chunks of one time are open together, and may expand far. So beyond a bound that
 * follows their size on disk, runs that have to wait are set aside.
 *
 * Threads: a struct chunk_runs and its runs belong to one thread.
 */
#ifndef TS_READER_ORDER_CHUNK_RUNS_H
#define TS_READER_ORDER_CHUNK_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/chunks/chunk_load.h"
#include "reader/chunks/range_read.h"
#include "reader/order/ordered.h"

struct chunk_run_entry { /* one wanted record */
	uint64_t time_ns;
	uint32_t offset; /* in the chunk's records */
};

struct chunk_run {
	const struct chunk *chunk;
	uint64_t next_ns;	/* the time of entry `next` */
	size_t nr, next;	/* entries; they stay when it is set aside */
	const uint8_t *records; /* NULL: set aside, and `entries` is NULL, too */
	struct chunk_run_entry *entries;
	size_t cap;
	struct chunk_memory plain; /* the records, if they do not lie in the file or the table */
	struct chunk_holes holes;
	struct chunk_run *next_spare;
};

struct chunk_runs {			 /* zero-initialise, then set the first three */
	const struct chunk_table *table; /* outlives it */
	struct ordered_window window;
	struct range_layout layout;
	/* private */
	struct chunk_buffer loading;
	struct chunk_run *spare; /* closed runs, whose memory serves the next ones */
	uint64_t spare_bytes;
	uint64_t held_bytes,
		held_on_disk; /* of open runs with memory of their own, and of their chunks */
	uint64_t opened_bytes, reopened_bytes; /* of records, so far */
	struct damage damage;
};

/*
 * Opens a chunk, for its records without a time or for those of the window. *ret is NULL if it has
 * no wanted record that can be read; its damage is listed. 0 or -ENOMEM.
 */
int chunk_runs_open(struct chunk_runs *r, const struct chunk *chunk, bool is_untimed,
		    struct chunk_run **ret);
void chunk_runs_close(struct chunk_runs *r, struct chunk_run *run);
/* If open runs hold too much memory, frees the records of this one, which has to wait. */
void chunk_runs_set_aside(struct chunk_runs *r, struct chunk_run *run);
/*
 * Loads the records of a run again if they were freed. -ENOMEM; -EBADMSG: they cannot be read any
 * more, and the damage is listed.
 */
int chunk_runs_take_up(struct chunk_runs *r, struct chunk_run *run);
/* Frees the closed runs and the list of damage. */
void chunk_runs_release(struct chunk_runs *r);
/* Frees a run that was not closed. NULL does nothing. */
void chunk_run_free(struct chunk_run *run);

/* --- of a run that is not set aside --- */

/* Goes to the next record. False: there is none. */
bool chunk_run_advance(struct chunk_run *run);
/* The current record; valid until the run is advanced, closed or set aside. */
void chunk_run_give(const struct chunk_run *run, struct ordered_record *ret);

#endif
