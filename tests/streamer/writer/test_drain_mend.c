// SPDX-License-Identifier: Apache-2.0
/* Side-band that the kernel lengthened, on its way through the drain. */
#include "streamer/writer/drain.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/perf/lengthened.h"
#include "common/perf/record.h"
#include "common/stream/checksum.h"
#include "tests/support/fake_ring.h"
#include "tests/support/lengthened_records.h"

#define RING_BYTES   65536
#define BUFFER_BYTES (256u * 1024)
#define TRAILER	     32
#define ID	     501

/* of the records in the ring, far from those in the stale bytes behind them */
#define EARLY_NS 1000000
#define LATE_NS	 2000000

static struct fake_ring fake;
static struct ring ring;
static struct ring *refs[] = {&ring};
static struct buffer_pool pool;
static struct drain d;
static struct ts_bytes put_bytes, wanted;

static void set_up(int level, bool has_cuts)
{
	struct drain_plan plan = {.rings = refs,
				  .nr_rings = 1,
				  .pool = &pool,
				  .compression_level = level,
				  .clock = CLOCK_MONOTONIC,
				  .uuid = (const uint8_t *)"0123456789abcdef",
				  .align = 4096,
				  .has_cuts = has_cuts};
	struct ts_error err;

	fake_ring_init(&fake, RING_BYTES);
	fake_ring_open(&fake, &ring, 0, TS_RING_SIDEBAND);
	cr_assert_eq(buffer_pool_init(&pool, 4, BUFFER_BYTES, NULL, &err), 0);
	cr_assert_eq(drain_init(&d, &plan, &err), 0, "%s", err.text);
}

static void tear_down(void)
{
	drain_release(&d);
	buffer_pool_release(&pool);
	ring_close(&ring);
	fake_ring_release(&fake);
	ts_bytes_release(&put_bytes);
	ts_bytes_release(&wanted);
}

/* A record of that time behind `listeners` others, and the same, mended, behind what is wanted. */
static void put(uint32_t type, uint64_t time_ns, size_t listeners)
{
	const uint64_t trailer[] = {10 | 11ULL << 32, time_ns, 0, ID};
	const uint64_t stale[] = {7, 1, ~0ULL, ID, 7, ~0ULL >> 2, 5, 6};
	size_t extra = listeners * TRAILER, at = wanted.len;

	ts_bytes_clear(&put_bytes);
	put_lengthened(&put_bytes, type, trailer, TRAILER, stale, extra);
	cr_assert(fake_ring_put(&fake, put_bytes.data));
	ts_bytes_put(&wanted, put_bytes.data, put_bytes.len);
	memset(wanted.data + at + lengthened_body_bytes(type), 0, extra);
	memcpy(wanted.data + at + lengthened_body_bytes(type) + extra, trailer, TRAILER);
}

static struct ts_chunk first_chunk(const struct buffer *b)
{
	struct ts_chunk c;

	cr_assert_eq(b->nr_chunks, 1);
	cr_assert_eq(ts_chunk_parse(b->data, BUFFER_BYTES, 0, &c), TS_FOUND_OK);
	cr_assert_eq(c.kind, TS_RING_SIDEBAND);
	cr_assert(c.flags & TS_CHUNK_MENDED);
	cr_assert_eq(ts_checksum(b->data + c.header_bytes, c.payload_bytes), c.checksum);
	return c;
}

static void put_all_types(void)
{
	put(PERF_RECORD_KSYMBOL, EARLY_NS + 1, 1);
	put(PERF_RECORD_BPF_EVENT, EARLY_NS, 2);
	put(PERF_RECORD_TEXT_POKE, LATE_NS, 2);
	put(PERF_RECORD_BPF_EVENT, LATE_NS - 1, 0);
}

Test(drain_mend, writes_records_with_their_trailer_at_their_end)
{
	struct ts_chunk c;

	set_up(0, false);
	put_all_types();
	drain_aim(&d, false);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	c = first_chunk(d.sides[0].filling);
	cr_assert_eq(c.flags, TS_CHUNK_MENDED);
	cr_assert_eq(c.nr_records, 4);
	cr_assert_eq(c.time_min_ns, EARLY_NS);
	cr_assert_eq(c.time_max_ns, LATE_NS);
	cr_assert_eq(c.raw_bytes, wanted.len);
	cr_assert_eq(memcmp(d.sides[0].filling->data + c.header_bytes, wanted.data, wanted.len), 0);
	tear_down();
}

Test(drain_mend, compresses_what_was_mended)
{
	static uint8_t raw[RING_BYTES];
	struct ts_decompressor dec;
	struct ts_error err;
	struct ts_chunk c;

	set_up(1, false);
	put_all_types();
	put_all_types();
	drain_aim(&d, false);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	c = first_chunk(d.sides[0].filling);
	cr_assert_eq(c.flags, TS_CHUNK_MENDED | TS_CHUNK_COMPRESSED);
	cr_assert_eq(c.nr_records, 8);
	cr_assert_eq(c.time_min_ns, EARLY_NS);
	cr_assert_eq(c.time_max_ns, LATE_NS);
	cr_assert_eq(c.raw_bytes, wanted.len);
	cr_assert_eq(ts_decompressor_init(&dec, &err), 0);
	cr_assert_eq(ts_decompressor_expand(&dec, d.sides[0].filling->data + c.header_bytes,
					    c.payload_bytes, raw, c.raw_bytes, &err),
		     0, "%s", err.text);
	cr_assert_eq(memcmp(raw, wanted.data, wanted.len), 0);
	ts_decompressor_release(&dec);
	tear_down();
}

/* Neither the timeline nor the lag nor the counters know of times that stood behind the records. */
Test(drain_mend, counts_by_the_true_times)
{
	const struct drain_counters *n;
	struct histogram_counts lag;
	struct ts_timeline *t;
	struct timespec now;
	uint64_t now_ns;

	set_up(0, false);
	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	put(PERF_RECORD_KSYMBOL, now_ns, 1);
	put(PERF_RECORD_BPF_EVENT, now_ns, 2);
	drain_aim(&d, false);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	n = &d.rings[0].counters[0];
	t = d.rings[0].timelines[0];
	cr_assert_eq(ts_counter_read(&n->records), 2);
	cr_assert_eq(ts_counter_read(&n->time_min_ns), now_ns);
	cr_assert_eq(ts_counter_read(&n->time_max_ns), now_ns);
	cr_assert_eq(t->nr, 1);
	cr_assert_eq(t->slots[0].nr[TS_LOSS_NONE], 2);
	histogram_read(&d.lag, &lag);
	cr_assert_eq(lag.nr, 1);
	cr_assert_lt(lag.max_ns, 60000000000u, "it has not waited for a minute");
	tear_down();
}

/* At a cut records go by their time. */
Test(drain_mend, parts_by_the_true_times_at_a_cut)
{
	struct ts_chunk early, late;

	set_up(0, true);
	put(PERF_RECORD_KSYMBOL, EARLY_NS, 1);
	put(PERF_RECORD_BPF_EVENT, EARLY_NS, 2);
	put(PERF_RECORD_KSYMBOL, LATE_NS, 2);
	drain_begin_cut(&d, LATE_NS, 1, 4096);
	drain_aim(&d, false);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	early = first_chunk(d.sides[0].filling);
	late = first_chunk(d.sides[1].filling);
	cr_assert_eq(early.nr_records, 2);
	cr_assert_eq(early.time_max_ns, EARLY_NS);
	cr_assert_eq(late.nr_records, 1);
	cr_assert_eq(late.time_min_ns, LATE_NS);
	cr_assert_eq(
		memcmp(d.sides[0].filling->data + early.header_bytes, wanted.data, early.raw_bytes),
		0);
	cr_assert_eq(memcmp(d.sides[1].filling->data + late.header_bytes,
			    wanted.data + early.raw_bytes, late.raw_bytes),
		     0);
	tear_down();
}

/* In a ring of samples the kernel writes no such records: its bytes are not looked at. */
Test(drain_mend, leaves_samples_alone)
{
	struct ts_chunk c;

	set_up(0, false);
	ring.id.kind = TS_RING_SAMPLES;
	fake_ring_put_sample(&fake, 64);
	drain_aim(&d, false);
	cr_assert_eq(drain_step(&d), DRAIN_TOOK);
	cr_assert_eq(ts_chunk_parse(d.sides[0].filling->data, BUFFER_BYTES, 0, &c), TS_FOUND_OK);
	cr_assert_eq(c.flags, 0);
	tear_down();
}
