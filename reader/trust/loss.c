// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/loss.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/capture/account.h"
#include "reader/chunks/chunk_load.h"
#include "reader/trust/loss_records.h"
#include "reader/trust/loss_rings.h"

/* --- the account --- */

/*
 * Records that were copied out of the ring but are not in the streams were lost by the disk; see
 * docs/format.md.
 */
static void take_account_ring(struct loss_ring *to, const struct account_ring *from)
{
	uint64_t kept = ts_timeline_sum(&from->timeline, TS_LOSS_NONE) +
			from->timeline.untimed.nr[TS_LOSS_NONE];
	uint64_t disk = ts_min(from->lost_disk, from->lost);
	uint64_t compression = ts_min(from->lost_compression, from->lost - disk);

	if (kept > from->records || !from->timeline.nr)
		kept = from->records;
	*to = (struct loss_ring){
		.number = from->number,
		.cpu = from->cpu,
		.is_sideband = from->is_sideband,
		.kept = kept,
		.at_unknown_time = from->lost_at_unknown_time,
		.timeline = from->timeline,
	};
	to->lost[TS_LOSS_DISK] = disk + (from->records - kept);
	to->lost[TS_LOSS_COMPRESSION] = compression;
	to->lost[from->is_overwritten ? TS_LOSS_PAUSED : TS_LOSS_RING_FULL] =
		from->lost - disk - compression;
}

static int take_account(struct loss *l, const struct account *a)
{
	l->rings = calloc(a->nr_rings, sizeof(*l->rings));
	if (!l->rings)
		return -ENOMEM;
	l->nr = l->cap = a->nr_rings;
	l->is_exact = a->is_exact;
	for (size_t i = 0; i < a->nr_rings; i++)
		take_account_ring(&l->rings[i], &a->rings[i]);
	return 0;
}

/* --- chunk headers --- */

/* In the last chunk of a killed recording only the records that are there count. */
static uint64_t whole_records(const struct chunk_table *t, const struct chunk *c,
			      struct chunk_buffer *buf)
{
	struct chunk_walk walk;
	const uint8_t *records;
	uint64_t nr = 0;
	size_t len;

	if (!(c->flags & CHUNK_TORN))
		return c->nr_records;
	if (chunk_load_some(t, c, buf, &records, &len))
		return 0;
	walk = (struct chunk_walk){records, records + len};
	while (chunk_walk_next(&walk))
		nr++;
	return nr;
}

static void add_chunk(struct ts_timeline *timeline, const struct chunk_table *t,
		      const struct chunk *c, struct chunk_buffer *buf)
{
	const struct ts_chunk header = {
		.nr_records = whole_records(t, c, buf),
		.time_min_ns = c->time_max_ns ? c->time_min_ns : 0,
		.time_max_ns = c->time_max_ns,
		.lost = c->lost,
		.lost_cause = c->lost_cause,
	};

	ts_timeline_chunk(timeline, &header);
}

static int take_chunk(struct loss *l, const struct chunk_table *t, const struct chunk *c,
		      struct chunk_buffer *buf)
{
	struct loss_ring *r = loss_rings_find(l, c->ring);

	if (!r)
		return -ENOMEM;
	r->cpu = c->cpu;
	r->is_sideband = c->flags & CHUNK_TASKS;
	add_chunk(&r->timeline, t, c, buf);
	return 0;
}

static bool has_our_chunks(const struct chunk_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->chunks[i].header_bytes)
			return true;
	return false;
}

static int take_chunks(struct loss *l, const struct chunk_table *t)
{
	struct chunk_buffer buf = {0};
	int rc = 0;

	for (size_t i = 0; i < t->nr && !rc; i++)
		if (t->chunks[i].header_bytes)
			rc = take_chunk(l, t, &t->chunks[i], &buf);
	chunk_buffer_release(&buf);
	for (size_t i = 0; i < l->nr; i++) {
		struct loss_ring *r = &l->rings[i];

		r->kept = ts_timeline_sum(&r->timeline, TS_LOSS_NONE) +
			  r->timeline.untimed.nr[TS_LOSS_NONE];
		for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
			r->lost[cause] = ts_timeline_sum(&r->timeline, cause) +
					 r->timeline.untimed.nr[cause];
	}
	return rc;
}

/* --- an account of times that never were --- */

bool loss_has_other_times(const struct chunk_table *t, uint32_t ring)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->chunks[i].flags & CHUNK_LENGTHENED && t->chunks[i].ring == ring)
			return true;
	return false;
}

void loss_timeline(const struct chunk_table *t, uint32_t ring, struct ts_timeline *ret)
{
	struct chunk_buffer buf = {0};

	*ret = (struct ts_timeline){0};
	for (size_t i = 0; i < t->nr; i++)
		if (t->chunks[i].header_bytes && t->chunks[i].ring == ring)
			add_chunk(ret, t, &t->chunks[i], &buf);
	chunk_buffer_release(&buf);
}

/* Records that are not in the chunks were lost at an unknown time. */
static void correct_account(struct account *a, const struct chunk_table *t)
{
	for (size_t i = 0; i < a->nr_rings; i++) {
		struct account_ring *r = &a->rings[i];
		uint64_t kept;

		if (!r->is_sideband || !loss_has_other_times(t, r->number))
			continue;
		loss_timeline(t, r->number, &r->timeline);
		kept = ts_timeline_sum(&r->timeline, TS_LOSS_NONE) +
		       r->timeline.untimed.nr[TS_LOSS_NONE];
		if (kept < r->records)
			r->lost_at_unknown_time += r->records - kept;
	}
}

/* --- the whole --- */

static int compare_rings(const void *a, const void *b)
{
	const struct loss_ring *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->is_sideband != y->is_sideband)
		return x->is_sideband ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

int loss_open(struct loss *l, const struct capture *c, const struct chunk_table *t,
	      struct ts_error *err)
{
	struct account account;
	int rc;

	*l = (struct loss){0};
	rc = account_read(&account, c);
	correct_account(&account, t);
	if (rc) {
		/* nothing can be said */
	} else if (account.nr_rings) {
		l->source = LOSS_FROM_ACCOUNT;
		rc = take_account(l, &account);
	} else if (has_our_chunks(t)) {
		l->source = LOSS_FROM_CHUNKS;
		rc = take_chunks(l, t);
	} else {
		l->source = LOSS_FROM_RECORDS;
		rc = loss_records_read(l, t);
	}
	account_release(&account);
	hash_index_release(&l->by_number);
	if (rc) {
		loss_close(l);
		return ts_error_sys(err, -rc, "cannot read the losses of %s", c->path);
	}
	if (l->nr)
		qsort(l->rings, l->nr, sizeof(*l->rings), compare_rings);
	return 0;
}

void loss_close(struct loss *l)
{
	free(l->rings);
	hash_index_release(&l->by_number);
	*l = (struct loss){0};
}
