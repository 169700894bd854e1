/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers of a recording, the rings that they drain and the streams that they write.
 *
 * Threads: main thread only. Writers own their rings between start and join (writer.h).
 */
#ifndef TS_STREAMER_RECORDING_CREW_H
#define TS_STREAMER_RECORDING_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streamer/recording/recording.h"

/* So many rings, streams and writers as the plan has; nothing of them is there yet. */
int crew_allocate(struct recording *r, struct ts_error *err);
/* data.N of each writer, in the directory; `out` of it, for sentences. */
int crew_make_streams(struct recording *r, const char *out, struct ts_error *err);
/* Opens the events and maps the rings on their owners. */
int crew_open_rings(struct recording *r, struct ts_error *err);
int crew_start(struct recording *r, struct ts_error *err);
/*
 * Sets the filters of descriptors that have none yet. Only a recording of everything sees its recorder:
 * all writers must run.
 */
int crew_set_filters(struct recording *r, struct ts_error *err);

/*
 * Makes the rings of a CPU that comes for the first time, *ret_first as in source_reopen(). On failure
 * nothing is left of them.
 */
int crew_admit_rings(struct recording *r, unsigned int cpu, size_t *ret_first,
		     struct ts_error *err);
/* They are the writers' from now on. */
void crew_add_rings(struct recording *r, unsigned int cpu);
/* The kernel moved the writers that could run nowhere else; the CPU is back. */
void crew_mark_astray(struct recording *r, unsigned int cpu);
/* False: one of them cannot be pinned yet. One whose CPUs are gone again waits for their return. */
bool crew_pin(struct recording *r);
/* -ENOENT: a stream was removed. */
int crew_check_streams(const struct recording *r, struct ts_error *err);

/*
 * --- a cut, in this order ---
 *
 * crew_make_next() makes data.N of each writer in the next directory, on the same filesystem. crew_hold(),
 * then the clock is read, crew_cut() as writer_cut(), crew_unhold(). crew_wait_for_cpus(): now all that
 * was recorded before that time is in the rings. crew_wait(): the old streams are complete, and what
 * was written to them is told; crew_sync() brings them to the disk. crew_begin_next(): they are closed.
 */
int crew_make_next(struct recording *r, struct ts_dir *dir, struct ts_error *err);
void crew_drop_next(struct recording *r); /* there was no cut: closes them again */
void crew_hold(struct recording *r);
void crew_cut(struct recording *r, uint64_t time_ns, uint32_t cut, bool dumps);
void crew_unhold(struct recording *r);
void crew_wait_for_cpus(const struct recording *r);
int crew_wait(struct recording *r,
	      struct ts_error *err); /* -EIO: a writer failed, and has the sentence */
int crew_sync(struct recording *r, struct ts_error *err);
uint64_t crew_next_bytes(const struct recording *r); /* that the next streams have by now */
void crew_begin_next(struct recording *r);

/* All writers end; the error of the first that met one. */
int crew_join(struct recording *r, struct ts_error *err);
void crew_close_streams(struct recording *r); /* and frees the writers; idempotent */
void crew_unmap_rings(struct recording *r);   /* accepts rings that are not mapped; idempotent */

#endif
