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
 * Only its CPU writes to a ring, and the kernel is not preempted between the two ends of a record. So
 * while this thread runs on that CPU no record is under way, and data_head tells of all that was
 * written: a record that data_head has not come near to by the time that it was copied is whole. The
 * kernel need not be kept from the ring. Where we may not go to that CPU, it is:
 *
 *	pause, wait until each CPU has been elsewhere (being paused does not), copy, resume
 *
 * Threads: one at a time, the writer, but for ring_open() and ring_close(), and ring_peek() for main.
 */
#ifndef TS_STREAMER_RINGS_RING_BACKWARD_H
#define TS_STREAMER_RINGS_RING_BACKWARD_H

#include "streamer/rings/ring.h"

/* All bytes that the kernel has written to it so far; any thread while the ring is open. */
static inline uint64_t ring_written_backward(const struct ring *r)
{
	return 0 - __atomic_load_n(&r->page->data_head, __ATOMIC_RELAXED);
}

/*
 * Dumps what came before a time, of the clock of the records (TS_TIME_NEVER: all); resumes: a ring that
 * had to be paused is written to again afterwards, else never. Nothing of the dump before may be left.
 * A ring that is paused already stays as it is. 0; -errno where the kernel does not pause it.
 */
int ring_dump(struct ring *r, uint64_t before_ns, bool resumes);
/* The copying: the ring is DATA_PENDING, and becomes EMPTY, or is RUNNING; nothing may be under way. */
void ring_take(struct ring *r, uint64_t before_ns);

/*
 * Copies what is in it to the end of dst, which has as many bytes as the ring, in the order of time, and
 * takes nothing; returns where it begins there. From anywhere: records that were under way when it was
 * called may be missing, and the oldest one may be torn. Nobody may dump it meanwhile.
 */
size_t ring_peek(const struct ring *r, uint8_t *dst);

/* Bytes of the dump that were not copied yet. */
uint64_t ring_dump_pending(const struct ring *r);
/*
 * As ring_copy(), of the dump, oldest first; never RING_COPY_BROKEN.
 */
enum ring_copied ring_dump_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes);

#endif
