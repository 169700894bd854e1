/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backward ring: the kernel writes from high positions to low ones and over what is oldest, and
 * nobody drains it. What it holds is taken now and then as a whole, a dump.
 *
 *	 data_head                                     data_head + size
 *	     v                                               v
 *	-----+--------+-------+------------+------+---------.+------>  positions
 *	     | newest |       |            |      | torn    .|
 *	-----+--------+-------+------------+------+---------.+
 *
 * A record begins at its lower position, so the walk from data_head meets whole records, the newest
 * first, until the oldest, of which the end may be overwritten: that one is dropped. Each is put into
 * memory from the end of it down, so that they lie there in the order of time. What was taken before
 * is not taken again, and what is newer than wanted stays for the next dump, unless overwritten.
 *
 *	pause, wait until no record is under way, copy, resume
 *
 * Being paused does not wait for a record under way on the CPU of the ring. Where this thread runs on
 * that CPU none is, because the kernel is not preempted between the two ends of a record.
 *
 * Threads: one at a time, the writer, but for ring_open() and ring_close().
 */
#ifndef TS_STREAMER_RING_BACKWARD_H
#define TS_STREAMER_RING_BACKWARD_H

#include "streamer/ring.h"

/*
 * Dumps what came before a time, of the clock of the records (TS_TIME_NEVER: all); resumes: the kernel
 * writes to the ring again afterwards, else never. Nothing of the dump before may be left. A ring that
 * is paused already stays as it is. 0; -errno where the kernel does not pause it.
 */
int ring_dump(struct ring *r, uint64_t before_ns, bool resumes);
/* The part of it between pause and resume. The ring must be DATA_PENDING, and nothing under way. */
void ring_take(struct ring *r, uint64_t before_ns);

/* Bytes of the dump that were not copied yet. */
uint64_t ring_dump_pending(const struct ring *r);
/*
 * As ring_copy(), of the dump, oldest first; never RING_COPY_BROKEN.
 */
enum ring_copied ring_dump_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes);

#endif
