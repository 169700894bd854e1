/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account of a recording: every record that the kernel offered is kept in a stream, or stands
 * here with the cause of its loss.
 *
 *	offered = kept + ring full + compression + disk + paused
 *
 * Ring full: the kernel found no room; counted by itself for each descriptor (PERF_FORMAT_LOST,
 * Linux >= 6.0), or where it cannot, by the LOST records that went by (what was lost after the last
 * success is then not told). Compression: the part of these for which a ring filled up while its
 * writer compressed. Disk: the part that fell while the writer had no free buffer because the disk
 * was behind, and what was copied out of a ring but could not be written. Paused: what came for a
 * backward ring while that was dumped. What such a ring overwrites was kept for a while: that is told
 * in bytes (writer_stats.overwritten_bytes), and is in none of these numbers.
 *
 * When: each ring has a timeline (common/stream/timeline.h), which knows what LOST records told. What was
 * lost after the last record that found room is never told by one: at an unknown time.
 *
 * Threads: main thread, after the events were disabled and the writers joined.
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
	uint64_t lost;			    /* records that found it full */
	uint64_t lost_disk;		    /* the part of them that the disk is to blame for */
	uint64_t lost_compression;	    /* the part that compressing is to blame for */
	uint64_t lost_at_unknown_time;	    /* the part of them of which no LOST record told when */
	const struct ts_timeline *timeline; /* the writer's */
};

struct ledger_writer { /* in the order of layout.writers */
	struct writer_stats stats;
	struct writer_measures measures;
	uint64_t lost; /* records that found its rings full */
	const char *io,
		*schedule; /* words of streamer/writer/sink.h and streamer/machine/schedule.h */
	bool is_direct;
};

struct ledger {
	struct ledger_ring *rings; /* owned */
	size_t nr_rings;
	struct ledger_writer *writers; /* owned */
	size_t nr_writers;
	struct source_lost *lost; /* owned; by event and ring, where there was any */
	size_t nr_lost;
	bool is_exact; /* the kernel counted */

	struct writer_stats total;		  /* sum over the writers; maxima for *_max_ns */
	uint64_t lost_ring_full;		  /* the writers were late */
	uint64_t lost_compression;		  /* they were late because they compressed */
	uint64_t lost_disk;			  /* the disk was late, or failed */
	uint64_t lost_paused;			  /* their ring was being dumped */
	uint64_t lost_at_unknown_time;		  /* of these, lost at a time that nobody knows */
	uint64_t first_sample_ns, last_sample_ns; /* 0: no sample */
};

/* Takes the account. `writers` are those of the plan's layout, in its order. */
/*
 * told: records lost a ring, of which accounts of earlier directories of the recording tell; NULL: there
 * are none. is_last: the events are disabled, and the kernel's own counts are taken; else what LOST
 * records told of this directory.
 */
int ledger_take(struct ledger *ledger, const struct record_plan *plan, const uint64_t *told,
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

/* What several accounts say together: of the directories that a recording made one after the other. */
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
