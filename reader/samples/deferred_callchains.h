/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User callchains that came later: Linux 6.19 may unwind user space only on the way back there, once
 * for all samples of a stay in the kernel.
 *
 *	SAMPLE              chain: kernel ..., PERF_CONTEXT_USER_DEFERRED, cookie
 *	SAMPLE              chain: kernel ..., PERF_CONTEXT_USER_DEFERRED, cookie
 *	CALLCHAIN_DEFERRED  cookie, chain: PERF_CONTEXT_USER, user ...
 *
 * The record may be in another ring than its samples, and is behind them. So all of them are gathered
 * before, by thread and cookie, and each sample gets its user part when it is decoded.
 *
 * Memory: the records themselves, under the capture's limit.
 *
 * Threads: deferred_callchains_open() uses several; `struct deferred_callchains` is immutable then. A `struct deferred_callchain`
 * belongs to one thread.
 */
#ifndef TS_READER_SAMPLES_DEFERRED_CALLCHAINS_H
#define TS_READER_SAMPLES_DEFERRED_CALLCHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/record.h"
#include "reader/chunks/chunk_table.h"

struct deferred_callchain_part { /* the user part of a chain */
	uint64_t cookie;
	uint32_t tid;
	uint32_t nr;	/* words */
	uint64_t place; /* its chunk and its number there: of equal ones always the same is taken */
	uint64_t *words;
};

struct deferred_callchains {
	struct chunk_table whole; /* where the capture's table has only what was selected */
	struct deferred_callchain_part
		*parts; /* owned; by cookie, then thread; NULL: no event defers */
	size_t nr;
	uint64_t **blocks; /* owned; of words, one a worker */
	unsigned int nr_blocks;
};

/* Zeroed where no event defers. -ENOMEM; damage is left to who reads on. */
int deferred_callchains_open(struct deferred_callchains *d, const struct chunk_table *table,
			     unsigned int nr_workers, struct ts_error *err);
void deferred_callchains_close(
	struct deferred_callchains *d); /* accepts a zeroed one; idempotent */

struct deferred_callchain {  /* one thread's; zero-initialise */
	uint8_t *words;	     /* owned; room for those of two records */
	uint64_t nr_missing; /* samples whose user part is not in the capture */
};

/*
 * Gives a sample with a deferred_cookie its user part; its callchain then lies in *chain until the
 * next call. -ENOMEM.
 */
int deferred_callchains_join(const struct deferred_callchains *d, struct deferred_callchain *chain,
			     struct ts_sample *sample);
void deferred_callchain_release(
	struct deferred_callchain *chain); /* accepts a zeroed one; idempotent */

#endif
