// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/unwind.h"
#include "common/base/sum.h"
#include "reader/trust/overview.h"

static bool has_our_chunks(const struct chunk_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->chunks[i].header_bytes)
			return true;
	return false;
}

static void add_up_chunks(struct overview *o)
{
	const struct chunk_table *t = o->chunks;

	for (size_t i = 0; i < t->nr; i++)
		if (t->chunks[i].header_bytes && t->chunks[i].lost_cause < TS_LOSS_NR)
			o->lost[t->chunks[i].lost_cause] =
				ts_sum(o->lost[t->chunks[i].lost_cause], t->chunks[i].lost);
}

static void find_lost(struct overview *o)
{
	if (o->account.is_complete || o->account.nr_rings) {
		o->source = OVERVIEW_FROM_ACCOUNT;
		o->is_exact = o->account.is_exact;
		o->lost[TS_LOSS_RING_FULL] = o->account.lost_ring_full;
		o->lost[TS_LOSS_COMPRESSION] = o->account.lost_compression;
		o->lost[TS_LOSS_DISK] = o->account.lost_disk;
		o->lost[TS_LOSS_PAUSED] = o->account.lost_paused;
	} else if (o->is_ours) {
		o->source = OVERVIEW_FROM_CHUNKS;
		add_up_chunks(o);
	} else {
		o->source = OVERVIEW_FROM_RECORDS;
		o->lost[TS_LOSS_RING_FULL] = o->chunks->counts.lost;
		o->lost[TS_LOSS_HARDWARE] = o->chunks->counts.lost_samples;
	}
	o->lost[TS_LOSS_NONE] = 0;
	for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
		o->nr_lost = ts_sum(o->nr_lost, o->lost[cause]);
}

/* The header has the times of samples; our chunks have the times of all their records. */
static void find_span(struct overview *o)
{
	struct ts_cursor c = ts_header_feature_cursor(&o->capture->header, TS_FEAT_SAMPLE_TIME);
	uint64_t first, last;

	o->first_ns = o->chunks->first_ns;
	o->last_ns = o->chunks->last_ns;
	if (!ts_cursor_u64(&c, &first) || !ts_cursor_u64(&c, &last) || !last || last < first)
		return;
	o->first_ns = first;
	o->last_ns = last;
}

const char *overview_feature(const struct overview *o, enum ts_feature bit)
{
	struct ts_cursor c = ts_header_feature_cursor(&o->capture->header, bit);
	const char *text;

	return ts_cursor_string(&c, &text) ? text : NULL;
}

struct capture_clock overview_clock(const struct overview *o)
{
	struct capture_clock clock = capture_clock_of(&o->capture->header);

	capture_clock_take_start(&clock, o->account.start_realtime_ns, o->first_ns);
	return clock;
}

uint64_t overview_wall_clock(const struct overview *o, uint64_t ns)
{
	const struct capture_clock clock = overview_clock(o);

	return capture_clock_wall_ns(&clock, ns);
}

int overview_open(struct overview *o, const struct overview_parts *parts)
{
	const struct ts_events *events = &parts->capture->header.events;
	int rc;

	*o = (struct overview){.capture = parts->capture,
			       .chunks = parts->chunks,
			       .tasks = parts->tasks,
			       .name = parts->name,
			       .damage = parts->damage,
			       .is_partly_read = parts->is_partly_read,
			       .counted_percent = parts->counted_percent,
			       .nr_threads = parts->tasks ? tasks_nr_threads(parts->tasks) : 0,
			       .nr_samples = parts->nr_samples,
			       .nr_unknown = parts->nr_unknown,
			       .nr_bad = parts->nr_bad};
	rc = account_read(&o->account, parts->capture);
	o->is_ours = o->account.is_complete || has_our_chunks(parts->chunks);
	for (size_t i = 0; i < events->nr; i++)
		o->has_stacks |= events->items[i].attr.sample_type & PERF_SAMPLE_STACK_USER;
	if (unwind_way_of(&parts->capture->header, UNWIND_BY_TABLE) != UNWIND_NOT)
		o->has_stacks = false;
	find_span(o);
	find_lost(o);
	return rc;
}

void overview_close(struct overview *o)
{
	account_release(&o->account);
	*o = (struct overview){0};
}
