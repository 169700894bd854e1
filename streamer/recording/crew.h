/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers of a recording, with their rings and their streams, and the steps that all writers
 * take at the same time.
 *
 *	crew_init, crew_open, (crew_open_cuts,) crew_allocate
 *	crew_make_streams, crew_open_rings, crew_start, crew_set_filters
 *	(cuts)
 *	crew_join, crew_close, crew_release
 *
 * Threads: main thread only. Main owns everything here. Writers own their rings between start and
 * join (writer.h).
 */
#ifndef TS_STREAMER_RECORDING_CREW_H
#define TS_STREAMER_RECORDING_CREW_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/file_io.h"
#include "common/base/notes.h"
#include "common/base/stop.h"
#include "common/directory/directory.h"
#include "streamer/plan/record_plan.h"
#include "streamer/rings/ring.h"
#include "streamer/watch/sideband_gap.h"
#include "streamer/watch/size_limit.h"
#include "streamer/writer/buffer_supply.h"
#include "streamer/writer/writer.h"

struct crew_stream { /* data.N, in the order of the writers */
	struct ts_stream_file file;
	struct ts_stream_file next; /* within a cut: the stream in the next directory */
	char *path;		    /* owned; for error sentences */
	struct writer *writer;
	bool is_astray; /* the kernel may have moved it off its CPUs, and one of them is back */
};

struct crew {
	struct record_plan *plan;     /* not owned; its source is opened here */
	struct ring *rings;	      /* owned; in the order of source.rings */
	struct ring **ring_refs;      /* owned; the same and `fed`, for the writers */
	struct crew_stream *streams;  /* owned; one a writer */
	struct ts_stop failure;	      /* raised by a writer that fails */
	struct ring fed;	      /* of side-band, which main fills; the last writer's */
	struct sideband_gap gap;      /* raised by a writer that finds side-band lost */
	struct size_limit limit;      /* of --max-size */
	struct buffer_supply supply;  /* gives writers further buffers */
	struct file_ids file_ids;     /* of --no-buildid-mmap */
	struct size_limit *switch_at; /* the rotation's: when to make a cut; NULL: no cuts */
	int cut_fd;		      /* eventfd: writers report the end of a cut; -1: none */
};

/* Sets a state that crew_close() and crew_release() accept. */
void crew_init(struct crew *c, struct record_plan *plan);
/* Opens the eventfds by which writers notify the main thread. */
int crew_open(struct crew *c, struct ts_error *err);
/* Prepares for cuts; call it before the start. */
int crew_open_cuts(struct crew *c, struct size_limit *switch_at, struct ts_error *err);
void crew_close_cuts(struct crew *c); /* accepts a crew without cuts; idempotent */
/* Allocates as many rings, streams and writers as the plan has; opens none of them. */
int crew_allocate(struct crew *c, struct ts_error *err);
/* Makes data.N of each writer in `dir`; `out` names the directory in error sentences. */
int crew_make_streams(struct crew *c, struct ts_dir *dir, const char *out, struct ts_error *err);
/* Opens the events and maps the rings on their owners. */
int crew_open_rings(struct crew *c, struct ts_notes *notes, struct ts_error *err);
/* `uuid`: 16 bytes, of the recording. */
int crew_start(struct crew *c, const uint8_t *uuid, struct ts_error *err);
/*
 * Sets the filters of descriptors that have none yet. All writers must run, because the filter
 * names their threads. Only a recording of everything sees its recorder.
 */
int crew_set_filters(struct crew *c, struct ts_notes *notes, struct ts_error *err);

/*
 * Makes the rings of a CPU that comes for the first time; *ret_first as in source_reopen(). On
 * failure no ring of the CPU is left.
 */
int crew_admit_rings(struct crew *c, unsigned int cpu, size_t *ret_first, struct ts_error *err);
/* Hands these rings to their writers. */
void crew_add_rings(struct crew *c, unsigned int cpu);
/*
 * Marks the writers that may run on `cpu`: the CPU is back, and the kernel may have moved them off
 * it.
 */
void crew_mark_astray(struct crew *c, unsigned int cpu);
/*
 * Pins the marked writers again, except those whose CPUs are all offline again. False: some writer
 * cannot be pinned yet.
 */
bool crew_pin(struct crew *c, hwloc_const_bitmap_t online);
/* True if the records of the last crew_feed() are copied. Otherwise no others may follow. */
bool crew_can_feed(const struct crew *c);
/* Adds a run of whole records to a stream, as side-band; valid until crew_can_feed(). */
void crew_feed(struct crew *c, const void *run, size_t bytes);
/* -ENOENT: a stream was removed. */
int crew_check_streams(const struct crew *c, struct ts_error *err);

/*
 * --- a cut, in this order ---
 *
 * - crew_make_next() makes data.N of each writer in the next directory, on the same filesystem.
 * - crew_hold(); the caller reads the clock; crew_cut(), as writer_cut(); crew_unhold().
 * - crew_wait_for_cpus(): afterwards all records from before that time are in the rings.
 * - crew_wait(): afterwards the old streams are complete, and their counters can be read.
 * - crew_sync() writes the old streams to the disk.
 * - crew_begin_next() closes them.
 */
int crew_make_next(struct crew *c, struct ts_dir *dir, struct ts_error *err);
void crew_drop_next(struct crew *c); /* without a cut: closes the next streams again */
void crew_hold(struct crew *c);
void crew_cut(struct crew *c, uint64_t time_ns, uint32_t cut, bool dumps);
void crew_unhold(struct crew *c);
void crew_wait_for_cpus(const struct crew *c);
int crew_wait(struct crew *c,
	      struct ts_error *err); /* -EIO: a writer failed, and has the sentence */
int crew_sync(struct crew *c, struct ts_error *err);
uint64_t crew_next_bytes(const struct crew *c); /* bytes in the next streams by now */
void crew_begin_next(struct crew *c);

/* Ends and joins all writers; returns the error of the first one that failed. */
int crew_join(struct crew *c, struct ts_error *err);
/*
 * Frees writers, streams and rings. The streams of a capture that is not kept are emptied first.
 * crew_release() frees the rest. Both are idempotent.
 */
void crew_close(struct crew *c, bool is_kept, struct ts_notes *notes);
void crew_unmap_rings(struct crew *c); /* accepts rings that are not mapped; idempotent */
void crew_release(struct crew *c);

#endif
