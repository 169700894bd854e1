/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backward ring without a kernel: a memfd with the protocol of the perf mmap page. It is mapped
 * twice: for the test, which writes to it as the kernel would, and read-only for the code under
 * test.
 *
 * Threads: one.
 */
#ifndef TS_TESTS_SUPPORT_BACKWARD_RING_H
#define TS_TESTS_SUPPORT_BACKWARD_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "streamer/rings/ring.h"

struct backward_ring {
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t size_bytes;
	uint64_t next_number; /* of the next record */
};

/* Opens `r`, number 1, over it, as a ring of the CPU where we are. Aborts when the system refuses. */
void backward_ring_open(struct backward_ring *b, struct ring *r, size_t data_bytes);
void backward_ring_release(struct backward_ring *b); /* the ring is its owner's to close */

/* Over what stands there; a position may be any. */
void backward_ring_write(struct backward_ring *b, uint64_t pos, const void *from, size_t len);
/* A sample of that size, with its number behind its header and at its end. */
void backward_ring_put(struct backward_ring *b, size_t size_bytes);
/* One of 56 bytes, with its number and a time at their places. */
void backward_ring_put_at(struct backward_ring *b, uint64_t time_ns);
/* A LOST record of that many, with a time. */
void backward_ring_put_lost(struct backward_ring *b, uint64_t nr, uint64_t time_ns);

#endif
