/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples whose symbols are still being read by another thread: what stacks are made of is kept, and they
 * are counted when the symbols are there. Meanwhile the worker goes on with others.
 *
 * Threads: each has its own.
 */
#ifndef TS_READER_STACKS_WAITING_SAMPLES_H
#define TS_READER_STACKS_WAITING_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/perf/record.h"
#include "reader/runtime/spill.h"
#include "reader/stacks/raw_key.h"

/* Of all workers, twice while they are counted; where there are more, symbols are waited for. */
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

/* Empty; its memory is a block of `spill`, which may be NULL. */
void waiting_samples_init(struct waiting_samples *l, struct spill *spill, size_t most_bytes);
/* `chain` NULL: without a callchain. False: there is no room for it. */
bool waiting_samples_put(struct waiting_samples *l, const struct raw_key *raw,
			 const struct ts_sample *sample, const struct ts_words *chain);
/*
 * The one at *at, which goes on behind it; false: there is none any more. Of *ret_sample only id, address,
 * period and callchain are there; the latter lies in *l.
 */
bool waiting_samples_next(const struct waiting_samples *l, size_t *at, struct raw_key *ret_raw,
			  struct ts_sample *ret_sample);
void waiting_samples_release(struct waiting_samples *l); /* accepts a zeroed one; idempotent */

static inline bool waiting_samples_is_empty(const struct waiting_samples *l)
{
	return !l->bytes.len;
}

#endif
