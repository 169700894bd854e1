// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"

static void add_stats(struct writer_stats *sum, const struct writer_stats *s)
{
	sum->records += s->records;
	sum->samples += s->samples;
	sum->own_samples += s->own_samples;
	sum->raw_bytes += s->raw_bytes;
	sum->stream_bytes += s->stream_bytes;
	sum->chunks += s->chunks;
	sum->blocks += s->blocks;
	sum->unwritten_records += s->unwritten_records;
	sum->unwritten_samples += s->unwritten_samples;
	sum->lost += s->lost;
	sum->lost_disk += s->lost_disk;
	sum->lost_compression += s->lost_compression;
	sum->lost_samples += s->lost_samples;
	sum->throttles += s->throttles;
	sum->overwritten_bytes += s->overwritten_bytes;
	sum->paused_max_ns = ts_max(sum->paused_max_ns, s->paused_max_ns);
	sum->syncs += s->syncs;
	sum->sync_max_ns = ts_max(sum->sync_max_ns, s->sync_max_ns);
	sum->wakeups += s->wakeups;
	sum->buffers += s->buffers;
	sum->plain_bytes += s->plain_bytes;
	sum->compress_ns += s->compress_ns;
	sum->rests += s->rests;
	sum->starved_ns += s->starved_ns;
	sum->write_max_ns = ts_max(sum->write_max_ns, s->write_max_ns);
	sum->drain_gap_max_ns = ts_max(sum->drain_gap_max_ns, s->drain_gap_max_ns);
}

/* A plan sorts its rings by writer: a writer counts its own rings from the first one of its run. */
static void read_writers(struct ledger *l, const struct source *source,
			 struct writer *const *writers)
{
	size_t ring = 0;

	for (size_t w = 0; w < l->nr_writers; w++) {
		struct ledger_writer *lw = &l->writers[w];

		writer_read_stats(writers[w], &lw->stats);
		writer_read_measures(writers[w], &lw->measures);
		lw->io = writer_io_name(writers[w]);
		lw->is_direct = writer_is_direct(writers[w]);
		lw->schedule = writer_schedule_name(writers[w]);
		add_stats(&l->total, &lw->stats);
		for (size_t i = 0; ring < l->nr_rings && source->rings[ring].writer == w;
		     i++, ring++) {
			writer_read_ring_stats(writers[w], i, &l->rings[ring].stats);
			l->rings[ring].timeline = writer_timeline(writers[w], i);
		}
	}
}

/* It is the last writer's, behind that writer's rings of the plan. */
static void read_fed(struct ledger *l, const struct source *source, struct writer *const *writers)
{
	size_t last = l->nr_writers - 1, nr = 0;

	while (nr < l->nr_rings && source->rings[l->nr_rings - 1 - nr].writer == last)
		nr++;
	writer_read_ring_stats(writers[last], nr, &l->fed.stats);
	l->fed.timeline = writer_timeline(writers[last], nr);
}

/*
 * Records that found their ring full: the kernel's own totals, or else the counts of LOST records.
 * The disk gets those lost while the writer had no free buffer, compression those lost while it
 * compressed.
 */
static void count_lost(struct ledger *l, const struct source *source)
{
	for (size_t i = 0; i < l->nr_lost; i++)
		l->rings[l->lost[i].ring].lost += l->lost[i].records;
	for (size_t i = 0; i < l->nr_rings; i++) {
		struct ledger_ring *r = &l->rings[i];

		if (!l->is_exact)
			r->lost = r->stats.lost;
		r->lost_disk = ts_min(r->stats.lost_disk, r->lost);
		r->lost_compression = ts_min(r->stats.lost_compression, r->lost - r->lost_disk);
		r->lost_at_unknown_time = r->lost - ts_min(r->stats.lost, r->lost);
		l->lost_at_unknown_time += r->lost_at_unknown_time;
		l->writers[source->rings[i].writer].lost += r->lost;
		if (source->rings[i].kind == TS_RING_OVERWRITE) {
			l->lost_paused += r->lost;
			continue;
		}
		l->lost_ring_full += r->lost - r->lost_disk - r->lost_compression;
		l->lost_compression += r->lost_compression;
		l->lost_disk += r->lost_disk;
	}
	l->lost_disk += l->total.unwritten_records;
}

/* The times of sample rings. But for a few records of other types, these rings have samples. */
static void find_times(struct ledger *l, const struct source *source)
{
	for (size_t i = 0; i < l->nr_rings; i++) {
		const struct writer_ring_stats *s = &l->rings[i].stats;

		if (source->rings[i].kind == TS_RING_SIDEBAND || !s->samples)
			continue;
		if (!l->first_sample_ns || s->time_min_ns < l->first_sample_ns)
			l->first_sample_ns = s->time_min_ns;
		l->last_sample_ns = ts_max(l->last_sample_ns, s->time_max_ns);
	}
}

/*
 * Subtracts the losses that earlier accounts contain. Earlier accounts know the ring of a loss, not
 * its event.
 */
static void take_off(struct ledger *l, uint32_t ring, uint64_t records)
{
	for (size_t i = 0; i < l->nr_lost && records; i++) {
		struct source_lost *lost = &l->lost[i];
		uint64_t part = lost->ring == ring ? ts_min(lost->records, records) : 0;

		lost->records -= part;
		records -= part;
	}
}

int ledger_take(struct ledger *l, const struct record_plan *plan, const uint64_t *lost_before,
		bool is_last, struct writer *const *writers, struct ts_error *err)
{
	const struct source *source = &plan->source;
	int code;

	memset(l, 0, sizeof(*l));
	l->nr_rings = source->nr_rings;
	l->nr_writers = plan->layout.nr;
	l->rings = calloc(l->nr_rings, sizeof(*l->rings));
	l->writers = calloc(l->nr_writers, sizeof(*l->writers));
	if (!l->rings || !l->writers) {
		ledger_release(l);
		return ts_error_sys(err, ENOMEM, "cannot count lost records");
	}
	code = is_last ? source_read_lost(source, &l->lost, &l->nr_lost, err) : 0;
	if (code < 0) {
		ledger_release(l);
		return code;
	}
	l->is_exact = is_last && source->counts_lost;
	for (size_t i = 0; lost_before && i < l->nr_rings; i++)
		take_off(l, (uint32_t)i, lost_before[i]);
	read_writers(l, source, writers);
	read_fed(l, source, writers);
	count_lost(l, source);
	find_times(l, source);
	return 0;
}

void ledger_sum_add(struct ledger_sum *sum, const struct ledger *l)
{
	sum->samples += l->total.samples - l->total.unwritten_samples;
	sum->kept += ledger_kept(l);
	sum->own_samples += l->total.own_samples;
	sum->stream_bytes += l->total.stream_bytes;
	sum->raw_bytes += l->total.raw_bytes;
	sum->plain_bytes += l->total.plain_bytes;
	sum->compress_ns += l->total.compress_ns;
	sum->ring_full += l->lost_ring_full;
	sum->compression += l->lost_compression;
	sum->disk += l->lost_disk;
	sum->paused += l->lost_paused;
}

void ledger_release(struct ledger *l)
{
	free(l->rings);
	free(l->writers);
	free(l->lost);
	memset(l, 0, sizeof(*l));
}
