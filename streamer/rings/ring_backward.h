/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backward ring. The kernel writes from high positions to low ones and overwrites the oldest
 * records, and nobody drains the ring. A dump takes all that the ring holds at once.
 *
 *	 data_head                                     data_head + size
 *	     v                                               v
 *	-----+--------+-------+------------+------+---------.+------>  positions
 *	     | newest |       |            |      | torn    .|
 *	-----+--------+-------+------------+------+---------.+
 *
 * A record begins at its lower position. So the walk from data_head upwards meets whole records,
 * the newest first. The end of the oldest record may be overwritten; that record is dropped. The
 * records are copied into the dump from its end downwards, so they lie there in the order of time.
 * A dump never takes a record again. Records that are newer than wanted stay in the ring for the
 * next dump, unless the kernel overwrites them.
 *
 * Only its own CPU writes to a ring, and the kernel is not preempted while it writes a record. So
 * while this thread runs on that CPU, no record is half written, and data_head covers all that was
 * written. A record is whole if data_head had not reached it when its copy was finished. Hence the
 * ring is not paused. If the thread may not run on that CPU, the ring is paused:
 *
 * pause, wait until each CPU has left the kernel's write (pausing does not wait), copy, resume
 *
 * Threads: as ring.h says. The writer calls all functions but these: any thread may call
 * ring_written_backward(), and main calls ring_peek().
 */
#ifndef TS_STREAMER_RINGS_RING_BACKWARD_H
#define TS_STREAMER_RINGS_RING_BACKWARD_H

#include "streamer/rings/ring.h"

/*
 * All bytes that the kernel has written to the ring so far. For any thread while the ring is open.
 */
static inline uint64_t ring_written_backward(const struct ring *r)
{
	return 0 - __atomic_load_n(&r->page->data_head, __ATOMIC_RELAXED);
}

/*
 * Dumps the records from before a time, on the clock of the records (TS_TIME_NEVER: all records).
 * Nothing of the dump before may be left. resumes: if the ring had to be paused, the kernel writes
 * to it again afterwards; otherwise the ring stays paused for ever. A ring that is already paused
 * is not dumped. Returns 0, or -errno if the kernel does not pause the ring.
 */
int ring_dump(struct ring *r, uint64_t before_ns, bool resumes);
/*
 * The copy step of a dump. A ring that is DATA_PENDING becomes EMPTY; a RUNNING ring stays RUNNING.
 * No record may be half written.
 */
void ring_take(struct ring *r, uint64_t before_ns);

/*
 * Copies the content of the ring to the end of dst, in the order of time, and takes nothing. dst
 * has as many bytes as the ring. Returns the offset in dst at which the records begin. The caller
 * may run on any CPU: records that the kernel was writing at that moment may be missing, and the
 * oldest one may be torn. Nobody may dump the ring meanwhile.
 */
size_t ring_peek(const struct ring *r, uint8_t *dst);

/* Bytes of the dump that were not copied yet. */
uint64_t ring_dump_pending(const struct ring *r);
/*
 * The same as ring_copy(), but out of the dump, the oldest record first. Never RING_COPY_BROKEN.
 */
enum ring_copied ring_dump_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes);

#endif
