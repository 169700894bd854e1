/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a capture without the stack dumps of its samples: callchains have the unwound callers
 * instead.
 *
 *	compact_open()      opens the capture as the only part of a merge (merge.h), which orders
 *	                    its chunks and gathers its `data`; replays names and maps; chooses
 *	                    the new attrs
 *	compact_directory() makes a new directory                             compact_streams.c
 *	                    with tstream.json                                 compact_note.c
 *	    each run of chunks becomes new chunks, on all cores               compact_batch.c
 *	        each sample without its dump                                  compact_sample.c
 *
 * One stream becomes one stream, and the records of a ring stay in their order. A chunk of ours
 * stays one chunk, with the same ring, times and losses. Records of others have no chunks. They
 * become chunks by CPU, samples apart from side-band: these are their rings.
 *
 * The caller passes the unwinder (`struct compact_unwinding`).
 *
 * Threads: main thread; several workers cut the chunk table and make chunks.
 */
#ifndef TS_READER_COMPACT_COMPACT_H
#define TS_READER_COMPACT_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "common/directory/directory.h"
#include "common/perf/record.h"
#include "reader/merge/merge.h"
#include "reader/symbols/symbol.h"
#include "reader/tasks/tasks.h"

#define COMPACT_LEVEL 1 /* of zstd */
#define COMPACT_FRAMES_MAX                                                                         \
	8000 /* most unwound frames of a sample; a record has room for hardly more frames */

struct compact;

/*
 * The unwinder, which finds the callers of a sample in its dump. Several threads call its
 * functions.
 */
struct compact_unwinding {
	/* Makes the state of a thread for an open capture; NULL with *err on failure. */
	void *(*open)(const struct compact *c, struct ts_error *err);
	/*
	 * Gives a sample with a dump a callchain of its own chain and the unwound callers, valid
	 * until the next call.
	 */
	void (*join)(void *state, struct ts_sample *sample);
	void (*close)(void *state);
};

struct compact_counts {
	uint64_t nr_records;
	uint64_t nr_dumps;   /* samples whose dump was unwound and left out */
	uint64_t nr_frames;  /* callchain entries in place of the dumps */
	uint64_t dump_bytes; /* bytes of registers and stacks */
	uint64_t nr_unsound; /* damaged records that were left out */
	uint64_t nr_lost;    /* losses of others, from LOST records */
	uint64_t nr_unknown; /* samples of events that the header does not name: copied */
};

struct compact {
	struct merge merge; /* has one part; after compact_open() its events are the new ones */
	struct ts_events events;    /* events of the old records, with their dumps */
	struct range_layout layout; /* of the new records */
	struct tasks *tasks;
	struct symbols *symbols;
	struct ts_notes warnings; /* files that could not be used; the command prints them */
	const struct compact_unwinding *unwinding;
	unsigned int nr_workers;
	uint8_t uuid[16]; /* of chunks that are made from records of others */
	struct compact_counts counts;
	uint64_t in_bytes, out_bytes; /* bytes of the streams */
};

/*
 * Opens the capture at `path`. Returns -ENODATA if none of its samples has a dump. All arguments
 * must outlive *c. Even after failure the caller closes *c and prints its warnings.
 */
int compact_open(struct compact *c, const char *path, const struct compact_unwinding *unwinding,
		 unsigned int nr_workers, struct memory *memory, struct progress *progress,
		 struct ts_error *err);
/*
 * Writes into a directory that was created and not published yet. Returns -EINTR if the progress is
 * stopped.
 */
int compact_directory(struct compact *c, struct ts_dir *dir, struct ts_error *err);
void compact_close(struct compact *c); /* accepts a zeroed one; idempotent */

/* --- between the parts --- */

/* Writes all streams. */
int compact_streams(struct compact *c, struct ts_dir *dir, struct ts_error *err);
/*
 * Makes the note (tstream.json) at the beginning, and completes it when all streams are written.
 * NULL: there is none.
 */
int compact_note_new(const struct compact *c, struct ts_json **ret); /* 0 or -ENOMEM */
void compact_note_end(const struct compact *c, struct ts_json *note);

#endif
