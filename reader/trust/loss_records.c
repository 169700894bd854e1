// SPDX-License-Identifier: Apache-2.0
/*
 * The losses of a capture of another recorder: by CPU, from its records in the order of the files.
 *
 * The kernel writes a LOST record when the ring has room again. So its records were lost between
 * the record of that CPU before it and itself. A LOST_SAMPLES record with a time counts samples
 * that the processor dropped and that reached no ring: a cause of its own. At the end perf writes
 * LOST_SAMPLES records without a time (Linux 6.0): the kernel's totals of records that found their
 * ring full. Records in these totals but not in LOST records were lost at an unknown time.
 */
#include "reader/trust/loss_records.h"

#include <errno.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/base/sum.h"
#include "common/perf/record.h"
#include "reader/chunks/chunk_load.h"
#include "reader/trust/loss_rings.h"

struct run { /* records of a CPU within one second, not yet in its timeline */
	struct loss_ring *ring;
	uint64_t nr, min_ns, max_ns;
};

struct records {
	struct loss *loss;
	const struct ts_events *events;
	struct run run;
	uint64_t reported; /* by LOST records */
	uint64_t counted;  /* by the kernel, at the end */
	int rc;
};

static void end_run(struct records *r)
{
	struct run *run = &r->run;

	if (run->nr) {
		ts_timeline_add(&run->ring->timeline, TS_LOSS_NONE, run->nr, run->min_ns,
				run->max_ns);
		if (run->max_ns > run->ring->timeline.last_ns)
			run->ring->timeline.last_ns = run->max_ns;
	}
	*run = (struct run){0};
}

static struct loss_ring *find_ring(struct records *r, const struct ts_sample_id *id)
{
	if (r->run.ring && r->run.ring->number == id->cpu)
		return r->run.ring;
	end_run(r);
	return loss_rings_find(r->loss, id->cpu);
}

static void add_kept(struct records *r, struct loss_ring *ring, uint64_t time_ns)
{
	struct run *run = &r->run;

	ring->kept++;
	if (run->ring != ring || run->min_ns / TS_NS_PER_SEC != time_ns / TS_NS_PER_SEC)
		end_run(r);
	if (!run->nr++)
		*run = (struct run){ring, 1, time_ns, time_ns};
	run->min_ns = ts_min(time_ns, run->min_ns);
	run->max_ns = ts_max(time_ns, run->max_ns);
}

static void add_lost(struct records *r, struct loss_ring *ring, enum ts_loss_cause cause,
		     uint64_t nr, uint64_t time_ns)
{
	uint64_t last_ns;

	end_run(r);
	last_ns = ring->timeline.last_ns;
	ring->lost[cause] = ts_sum(ring->lost[cause], nr);
	r->reported = ts_sum(r->reported, cause == TS_LOSS_RING_FULL ? nr : 0);
	ts_timeline_add(&ring->timeline, cause, nr,
			last_ns && last_ns < time_ns ? last_ns : time_ns, time_ns);
}

/* The samples were not lost: a filter of perf (6.2) left them out. */
#define MISC_LOST_SAMPLES_BPF (1 << 15)

/* The number of lost records that it reports; 0: another kind of record. */
static uint64_t lost_of(const struct perf_event_header *hdr)
{
	const uint8_t *at = (const uint8_t *)hdr;
	struct perf_event_header h = ts_record_load_header(hdr);

	if (h.type == PERF_RECORD_LOST && h.size >= 24)
		return ts_record_load_u64(at + 16);
	if (h.type == PERF_RECORD_LOST_SAMPLES && h.size >= 16 && !(h.misc & MISC_LOST_SAMPLES_BPF))
		return ts_record_load_u64(at + 8);
	return 0;
}

static void take_record(struct records *r, const struct perf_event_header *hdr)
{
	uint32_t type = ts_record_load_u32(hdr);
	uint64_t lost = lost_of(hdr);
	struct loss_ring *ring;
	struct ts_sample_id id;

	if (type >= TS_RECORD_USER_START || ts_decode_id(r->events, hdr, &id) != TS_DECODE_OK)
		return;
	if (!id.time_ns && type != PERF_RECORD_LOST && type != PERF_RECORD_SAMPLE) {
		r->counted += lost; /* a total, or a synthesized record: not of a ring */
		return;
	}
	ring = find_ring(r, &id);
	if (!ring)
		r->rc = -ENOMEM;
	else if (lost)
		add_lost(r, ring, type == PERF_RECORD_LOST ? TS_LOSS_RING_FULL : TS_LOSS_HARDWARE,
			 lost, id.time_ns);
	else
		add_kept(r, ring, id.time_ns);
}

static void take_chunk(struct records *r, const struct chunk_table *t, const struct chunk *c,
		       struct chunk_buffer *buf)
{
	const struct perf_event_header *hdr;
	struct chunk_walk walk;
	const uint8_t *records;
	size_t len;

	r->rc = chunk_load_some(t, c, buf, &records, &len);
	if (r->rc)
		return;
	walk = (struct chunk_walk){records, records + len};
	while (!r->rc && (hdr = chunk_walk_next(&walk)))
		take_record(r, hdr);
	chunk_unload(t, c);
}

int loss_records_read(struct loss *l, const struct chunk_table *t)
{
	struct records r = {.loss = l, .events = &t->capture->header.events};
	struct chunk_buffer buf = {0};

	for (size_t i = 0; i < t->nr && !r.rc; i++)
		take_chunk(&r, t, &t->chunks[i], &buf);
	end_run(&r);
	chunk_buffer_release(&buf);
	l->is_exact = r.counted > 0;
	if (!r.rc && r.counted > r.reported) {
		struct loss_ring *ring = loss_rings_find(l, LOSS_NO_CPU);

		if (!ring)
			return -ENOMEM;
		ring->lost[TS_LOSS_RING_FULL] += r.counted - r.reported;
		ring->at_unknown_time += r.counted - r.reported;
	}
	return r.rc;
}
