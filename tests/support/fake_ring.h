/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A perf ring without a kernel: a memfd with the protocol of the perf mmap page, and the producer's
 * side of it.
 *
 * The producer behaves like the kernel. A record that does not fit is lost and counted, and a LOST
 * record with that count precedes the next one that fits. The readiness descriptor becomes readable
 * each time another watermark of bytes was written. Samples have the layout of the base sample_type
 * of our recordings, and their ip is a number, from 0 without a gap.
 *
 * Threads: the producer's side for one thread, while another drains the ring opened over mem_fd.
 */
#ifndef TS_TESTS_SUPPORT_FAKE_RING_H
#define TS_TESTS_SUPPORT_FAKE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/thread.h"
#include "streamer/rings/ring.h"

#define FAKE_SAMPLE_BYTES_MIN 56
#define FAKE_LOST_BYTES	      56

struct fake_ring {
	int mem_fd;   /* to map */
	int ready_fd; /* an eventfd, to poll */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t size_bytes;
	size_t map_bytes;  /* 0: the mapping is the consumer's (fake_ring_open()) */
	uint64_t head_pos; /* the producer's own */
	uint64_t wakeup_pos;
	uint32_t watermark_bytes;
	uint64_t next_number; /* of the next sample */
	uint64_t id;	      /* what its records carry as id */
	uint32_t cpu;
	uint64_t pending_lost; /* not yet told by a LOST record */
	uint64_t lost;	       /* all */
	uint64_t written;      /* samples that are in the ring */
	uint64_t seen_tail_pos;
	uint64_t over_since_ns; /* more than the watermark waits since then; 0: not */
	uint64_t gap_max_ns;	/* longest time from there to the next drain, as a put saw it */
};

/* data_bytes: a power of two, at least a page. Aborts when the system refuses. */
void fake_ring_init(struct fake_ring *f, size_t data_bytes);
void fake_ring_release(struct fake_ring *f);

/*
 * Opens `r` over it and moves the producer onto the same mapping, so that a race detector sees
 * both sides touch the same addresses. Aborts when that fails.
 */
void fake_ring_open(struct fake_ring *f, struct ring *r, uint32_t number, enum ts_ring_kind kind);

/* Starts both positions at `pos` (a multiple of 8), before it is opened. */
void fake_ring_start_at(struct fake_ring *f, uint64_t pos);

/* Appends a whole record, as it stands; false: it did not fit and is lost. */
bool fake_ring_put(struct fake_ring *f, const void *record);
/* Appends the next numbered sample of size_bytes (56 .. 65528, a multiple of 8). */
bool fake_ring_put_sample(struct fake_ring *f, size_t size_bytes);
/* Makes the readiness descriptor readable, whatever is in the ring. */
void fake_ring_wake(struct fake_ring *f);

/* The number that a sample of a fake ring carries. */
uint64_t fake_sample_number(const void *record);

/* A thread that writes samples. */
struct fake_producer {
	/* constant after start */
	struct fake_ring *ring;
	uint64_t nr_samples;
	size_t size_min, size_max; /* bytes of a sample; varies in between */
	uint64_t burst;		   /* samples written without a pause */
	uint64_t pause_us;	   /* between bursts */
	bool waits;		   /* tries again where the kernel would lose */

	struct ts_thread thread;
};

void fake_producer_start(struct fake_producer *p, unsigned number);
void fake_producer_join(struct fake_producer *p);

#endif
