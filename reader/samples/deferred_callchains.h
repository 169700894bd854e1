/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred user callchains. Since Linux 6.19 the kernel may unwind user space only on the way back
 * to it, once for all samples of one stay in the kernel.
 *
 *	SAMPLE              chain: kernel ..., PERF_CONTEXT_USER_DEFERRED, cookie
 *	SAMPLE              chain: kernel ..., PERF_CONTEXT_USER_DEFERRED, cookie
 *	CALLCHAIN_DEFERRED  cookie, chain: PERF_CONTEXT_USER, user ...
 *
 * CALLCHAIN_DEFERRED comes after its samples and may be in another ring. Therefore all these
 * records are gathered first, by thread and cookie; each sample then gets its user part when it is
 * decoded.
 *
 * Memory: copies of these records, under the memory limit of the capture.
 *
 * Threads: deferred_callchains_open() uses several; afterwards `struct deferred_callchains` is
 * immutable. A `struct deferred_callchain` belongs to one thread.
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
	uint64_t place; /* chunk and number in the chunk: a fixed order of equal ones */
	uint64_t *words;
};

struct deferred_callchains {
	struct chunk_table whole; /* all chunks, if the table of the caller is a selection */
	struct deferred_callchain_part
		*parts; /* owned; by cookie, then thread; NULL: no event defers */
	size_t nr;
	uint64_t **blocks; /* owned; blocks of words, one per worker */
	unsigned int nr_blocks;
};

/*
 * Leaves *d zeroed if no event defers callchains. Returns 0 or -ENOMEM. Chunks that cannot be
 * loaded are skipped: the pass that reads the samples reports them.
 */
int deferred_callchains_open(struct deferred_callchains *d, const struct chunk_table *table,
			     unsigned int nr_workers, struct ts_error *err);
void deferred_callchains_close(
	struct deferred_callchains *d); /* accepts a zeroed one; idempotent */

struct deferred_callchain {  /* belongs to one thread; zero-initialise */
	uint8_t *words;	     /* owned; room for the words of two records */
	uint64_t nr_missing; /* samples whose user part is not in the capture */
};

/*
 * Appends the user part to the callchain of a sample with a deferred_cookie. The callchain then
 * lies in *chain until the next call. Returns 0 or -ENOMEM; a missing user part is only counted.
 */
int deferred_callchains_join(const struct deferred_callchains *d, struct deferred_callchain *chain,
			     struct ts_sample *sample);
void deferred_callchain_release(
	struct deferred_callchain *chain); /* accepts a zeroed one; idempotent */

#endif
