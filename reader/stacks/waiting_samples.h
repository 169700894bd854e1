/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples whose symbols another thread is still reading. Their keys and callchains are kept, and
 * they are counted when the symbols have been read. Meanwhile the worker goes on with other
 * samples.
 *
 * Threads: each thread has its own list.
 */
#ifndef TS_READER_STACKS_WAITING_SAMPLES_H
#define TS_READER_STACKS_WAITING_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/perf/record.h"
#include "reader/runtime/memory.h"
#include "reader/stacks/raw_key.h"

/*
 * Most bytes of all workers together (twice that while they are counted). If there are more,
 * workers wait for the symbols.
 */
#define WAITING_SAMPLES_BYTES (64u << 20)

struct waiting_sample {
	struct raw_key raw;
	struct ts_sample_id sid;
	uint64_t period;
	uint64_t nr_words; /* of its callchain, which follow */
	bool has_chain;
};

struct waiting_samples {
	struct ts_bytes bytes;
	size_t most_bytes;
};

/* Makes an empty list. Its memory is a block of `memory`, which may be NULL. */
void waiting_samples_init(struct waiting_samples *l, struct memory *memory, size_t most_bytes);
/* `chain` NULL: without a callchain. False: no room is left. */
bool waiting_samples_put(struct waiting_samples *l, const struct raw_key *raw,
			 const struct ts_sample *sample, const struct ts_words *chain);
/*
 * Returns the sample at *at and moves *at behind it; false: no sample is left. Only sid, ip, period
 * and callchain of *ret_sample are set; the callchain lies in *l.
 */
bool waiting_samples_next(const struct waiting_samples *l, size_t *at, struct raw_key *ret_raw,
			  struct ts_sample *ret_sample);
void waiting_samples_release(struct waiting_samples *l); /* accepts a zeroed one; idempotent */

static inline bool waiting_samples_is_empty(const struct waiting_samples *l)
{
	return !l->bytes.len;
}

#endif
