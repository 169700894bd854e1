/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that were lost while recording: by ring, by cause and over time.
 *
 * The best of three sources is used:
 *
 * - the account of our recorder (tstream.json);
 *
 * - if our recorder was killed, its chunk headers, from which the same account is computed;
 *
 * - in captures of others, LOST records, which tell when and how many, but do not cover the losses
 *   at the end.
 *
 * Threads: one, which opens it; then immutable.
 */
#ifndef TS_READER_TRUST_LOSS_H
#define TS_READER_TRUST_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/sum.h"
#include "common/stream/timeline.h"
#include "reader/capture/capture.h"
#include "reader/chunks/chunk_table.h"
#include "reader/tasks/hash_index.h"

#define LOSS_NO_CPU UINT32_MAX /* the records do not name their CPU */

enum loss_source {
	LOSS_FROM_ACCOUNT,
	LOSS_FROM_CHUNKS,
	LOSS_FROM_RECORDS,
};

struct loss_ring {
	uint32_t number; /* number of the ring; in captures of others the CPU */
	uint32_t cpu;	 /* or LOSS_NO_CPU */
	bool is_sideband;
	uint64_t kept;
	uint64_t lost[TS_LOSS_NR]; /* by cause; [TS_LOSS_NONE]: 0 */
	uint64_t at_unknown_time;  /* part of `lost` whose time is not known */
	struct ts_timeline timeline;
};

struct loss {
	enum loss_source source;
	bool is_exact;		 /* all losses are known */
	struct loss_ring *rings; /* owned; by CPU, samples before side-band */
	size_t nr, cap;
	struct hash_index by_number; /* private to loss_rings.c, while the loss is opened */
};

/* The only error is -ENOMEM. t is the chunk table of c. */
int loss_open(struct loss *l, const struct capture *c, const struct chunk_table *t,
	      struct ts_error *err);
void loss_close(struct loss *l); /* accepts a zeroed one; idempotent */

/* Does the ring have chunks whose times come from lengthened records? */
bool loss_has_other_times(const struct chunk_table *t, uint32_t ring);
/* Computes the timeline of a ring from its chunks, all of which must be in the table. */
void loss_timeline(const struct chunk_table *t, uint32_t ring, struct ts_timeline *ret);

static inline uint64_t loss_ring_lost(const struct loss_ring *r)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < TS_LOSS_NR; i++)
		lost = ts_sum(lost, r->lost[i]);
	return lost;
}

/* The percentage of `lost` in `lost` + `kept`. */
static inline double loss_percent(uint64_t lost, uint64_t kept)
{
	double all = (double)lost + (double)kept;

	return all > 0 ? 100.0 * (double)lost / all : 0.0;
}

#endif
