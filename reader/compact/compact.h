/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture without the stack dumps of its samples: what they are unwound to stands in callchains.
 *
 *	compact_open()      opens it as the one part of a merge (merge.h), which puts its chunks in order
 *	                    and gathers its `data`; replays names and maps; chooses the new attrs
 *	compact_directory() lays a new directory                                   compact_streams.c
 *	                    with tstream.json                              compact_note.c
 *	    each run of chunks becomes new chunks, on all cores                    compact_batch.c
 *	        each sample without its dump                                       compact_sample.c
 *
 * Of a stream becomes one stream, and the records of a ring stay in their order. A chunk of ours stays one
 * chunk, of the same ring, times and losses. Records of others, which stand in no chunks, become chunks by
 * CPU, samples apart from what tells of tasks: their rings.
 *
 * What unwinds is given by who opens (`struct compact_unwinding`).
 *
 * Threads: main thread; the table is cut, and chunks are made, by several.
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
	8000 /* that are unwound of a sample; a record has room for hardly more */

struct compact;

/* Who finds the callers of a sample in its dump. The functions are called by several threads. */
struct compact_unwinding {
	/* Makes a thread's state, of a capture that is open; NULL with *err. */
	void *(*open)(const struct compact *c, struct ts_error *err);
	/* Gives a sample with a dump the callchain of both, valid until the next call. */
	void (*join)(void *state, struct ts_sample *sample);
	void (*close)(void *state);
};

struct compact_counts {
	uint64_t nr_records;
	uint64_t nr_dumps;   /* samples whose dump was unwound and left out */
	uint64_t nr_frames;  /* entries of callchains in their place */
	uint64_t dump_bytes; /* registers, stacks */
	uint64_t nr_unsound; /* records that are damaged and were left out */
	uint64_t nr_lost;    /* of others, by LOST records */
	uint64_t nr_unknown; /* samples of an event that the header does not name: copied */
};

struct compact {
	struct merge merge;	 /* of one part; since compact_open() its events are the new ones */
	struct ts_events events; /* of the records, with their dumps */
	struct range_scan_layout layout; /* of the new records */
	struct ts_tasks *tasks;
	struct symbols *symbols;
	struct ts_notes warnings; /* files that could not be used: the command's to print */
	const struct compact_unwinding *unwinding;
	unsigned int nr_workers;
	uint8_t uuid[16]; /* of chunks that are made of others' records */
	struct compact_counts counts;
	uint64_t in_bytes, out_bytes; /* of the streams */
};

/*
 * Opens the capture at `path`; -ENODATA: none of its samples have a dump. What is given outlives it; *c
 * is the caller's to close, and its warnings the caller's to print, also after failure.
 */
int compact_open(struct compact *c, const char *path, const struct compact_unwinding *unwinding,
		 unsigned int nr_workers, struct spill *spill, struct progress *progress,
		 struct ts_error *err);
/* Into a directory that was created and not published yet. -EINTR where no more is wanted. */
int compact_directory(struct compact *c, struct ts_dir *dir, struct ts_error *err);
void compact_close(struct compact *c); /* accepts a zeroed one; idempotent */

/* --- between the parts --- */

/* Lays all streams. */
int compact_streams(struct compact *c, struct ts_dir *dir, struct json_object *note,
		    struct ts_error *err);
/* tstream.json, when it begins and when all streams are laid; NULL: there is none. */
struct json_object *compact_note_new(const struct compact *c);
void compact_note_end(const struct compact *c, struct json_object *note);

#endif
