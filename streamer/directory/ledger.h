/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account of a recording: every record that the kernel offered is kept in a stream, or counted
 * here under the cause of its loss.
 *
 *	offered = kept + ring full + compression + disk + paused
 *
 * - Ring full: the kernel found no room. It counts these records for each descriptor
 *   (PERF_FORMAT_LOST, Linux >= 6.0). On older kernels the LOST records that went by are counted,
 *   and records lost after the last one that found room are missing.
 * - Compression: records lost because a ring filled up while its writer compressed.
 * - Disk: records lost while the writer had no free buffer because the disk was behind, and records
 *   that were copied out of a ring but could not be written.
 * - Paused: records for a backward ring that was paused to be dumped.
 *
 * Records that a backward ring overwrites were kept for a while. They are in none of these numbers;
 * their bytes are in writer_stats.overwritten_bytes.
 *
 * Each ring has a timeline (common/stream/timeline.h) of its losses, made from LOST records. No
 * LOST record follows the records that were lost after the last one that found room: their time is
 * unknown.
 *
 * Threads: main thread, after the events were disabled and the writers joined; at a cut, after all
 * writers have ended the old side.
 */
#ifndef TS_STREAMER_DIRECTORY_LEDGER_H
#define TS_STREAMER_DIRECTORY_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "streamer/plan/record_plan.h"
#include "streamer/rings/source.h"
#include "streamer/writer/writer.h"

struct ledger_ring { /* in the order of source.rings */
	struct writer_ring_stats stats;
	uint64_t lost;		       /* records that found it full */
	uint64_t lost_disk;	       /* the part of them that the disk caused */
	uint64_t lost_compression;     /* the part that compression caused */
	uint64_t lost_at_unknown_time; /* the part of them without a LOST record that tells when */
	const struct ts_timeline *timeline; /* the writer's */
};

struct ledger_writer { /* in the order of layout.writers */
	struct writer_stats stats;
	struct writer_measures measures;
	uint64_t lost; /* records that found its rings full */
	/* words of streamer/writer/sink.h and streamer/machine/schedule.h */
	const char *io, *schedule;
	bool is_direct;
};

struct ledger {
	struct ledger_ring *rings; /* owned */
	size_t nr_rings;
	struct ledger_ring fed;	       /* of the ring that main fills (streamer/rings/ring_fed.h) */
	struct ledger_writer *writers; /* owned */
	size_t nr_writers;
	struct source_lost *lost; /* owned; one for each event and ring with a loss */
	size_t nr_lost;
	bool is_exact; /* the kernel counted */

	struct writer_stats total;		  /* sum over the writers; maxima for *_max_ns */
	uint64_t lost_ring_full;		  /* the writers were late */
	uint64_t lost_compression;		  /* they were late because they compressed */
	uint64_t lost_disk;			  /* the disk was late, or failed */
	uint64_t lost_paused;			  /* their ring was paused to be dumped */
	uint64_t lost_at_unknown_time;		  /* the part of these at an unknown time */
	uint64_t first_sample_ns, last_sample_ns; /* 0: no sample */
};

/*
 * Takes the account. `writers` are those of the plan's layout, in its order.
 * lost_before: by ring, lost records that accounts of earlier directories have; NULL: there are
 * none.
 * is_last: the events are disabled, and the kernel's own counts are taken. Otherwise the LOST
 * records of this directory count.
 */
int ledger_take(struct ledger *ledger, const struct record_plan *plan, const uint64_t *lost_before,
		bool is_last, struct writer *const *writers, struct ts_error *err);
void ledger_release(struct ledger *ledger); /* accepts a zeroed one; idempotent */

static inline uint64_t ledger_lost(const struct ledger *ledger)
{
	return ledger->lost_ring_full + ledger->lost_compression + ledger->lost_disk +
	       ledger->lost_paused;
}

/* Records that are in the streams. */
static inline uint64_t ledger_kept(const struct ledger *ledger)
{
	return ledger->total.records - ledger->total.unwritten_records;
}

/* The sum of several accounts: of the directories that a recording made one after the other. */
struct ledger_sum {
	uint64_t samples, kept; /* samples, and records of all kinds, that are in the streams */
	uint64_t own_samples;
	uint64_t stream_bytes, raw_bytes, plain_bytes, compress_ns; /* as in struct writer_stats */
	uint64_t ring_full, compression, disk, paused;		    /* records lost */
};

void ledger_sum_add(struct ledger_sum *sum, const struct ledger *ledger);

static inline uint64_t ledger_sum_lost(const struct ledger_sum *sum)
{
	return sum->ring_full + sum->compression + sum->disk + sum->paused;
}

#endif
