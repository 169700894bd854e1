/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch: a run of chunks without their stack dumps, as new chunks that are ready to be written.
 *
 *	chunk of ours       -> one chunk
 *	chunks of others    -> one or several chunks by CPU, side-band apart
 *
 * Threads: a worker and a batch belong to one thread at a time; shared data is constant.
 */
#ifndef TS_READER_COMPACT_COMPACT_BATCH_H
#define TS_READER_COMPACT_COMPACT_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/stream/chunk.h"
#include "common/stream/compress.h"
#include "reader/capture/damage.h"
#include "reader/chunks/chunk_load.h"
#include "reader/compact/compact.h"
#include "reader/tasks/hash_index.h"

struct compact_chunk {
	struct ts_chunk header; /* without the fields that are set when it is written */
	size_t offset;		/* of its payload in the payload of the batch */
};

struct compact_batch { /* zero-initialise */
	struct ts_bytes payload;
	struct compact_chunk *chunks; /* owned */
	size_t nr, cap;
	struct compact_counts counts;
	struct damage damage; /* chunks that could not be loaded */
};

void compact_batch_release(struct compact_batch *b);

struct compact_ring { /* records of others that become a chunk */
	uint32_t cpu;
	bool is_sideband;
	struct ts_bytes records;
	uint64_t nr, lost;
};

struct compact_worker { /* zero-initialise */
	const struct compact *compact;
	void *unwinder;
	struct chunk_buffer buf;
	struct ts_compressor compressor;
	uint8_t *record;	    /* owned: the sample that is being made */
	struct ts_bytes own;	    /* the records of a chunk of ours */
	struct compact_ring *rings; /* owned */
	size_t nr_rings;
	struct hash_index by_key; /* of rings */
};

/* Returns 0 or -errno; the caller releases *w, even after failure. */
int compact_worker_init(struct compact_worker *w, const struct compact *c, struct ts_error *err);
/* Makes the batch of `nr` entries of one stream: either one entry of ours, or entries of others. */
int compact_worker_make(struct compact_worker *w, const struct merge_entry *entries, size_t nr,
			struct compact_batch *b, struct ts_error *err);
void compact_worker_release(struct compact_worker *w); /* idempotent */

#endif
