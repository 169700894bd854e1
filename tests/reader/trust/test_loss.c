// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/loss.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "reader/trust/loss_grid.h"
#include "reader/trust/loss_rings.h"
#include "reader/trust/print_loss.h"
#include "tests/support/made_capture.h"

#define SEC TS_NS_PER_SEC

static struct loss l;
static struct loss_grid g;
static struct loss_bias b;
static struct ts_bytes out;

static struct loss_ring *ring(uint32_t cpu)
{
	struct loss_ring *r = loss_rings_find(&l, cpu);

	cr_assert_not_null(r);
	return r;
}

static void put(uint32_t cpu, uint64_t second, uint64_t kept, uint64_t lost)
{
	struct loss_ring *r = ring(cpu);

	ts_timeline_add(&r->timeline, TS_LOSS_NONE, kept, second * SEC, second * SEC);
	ts_timeline_add(&r->timeline, TS_LOSS_RING_FULL, lost, second * SEC, second * SEC);
	r->kept += kept;
	r->lost[TS_LOSS_RING_FULL] += lost;
}

static const char *text(void)
{
	ts_bytes_put(&out, "", 1);
	return (const char *)out.data;
}

Test(loss, makes_a_grid_of_seconds_and_cpus)
{
	put(0, 100, 10, 0);
	put(0, 102, 5, 5);
	put(3, 101, 0, 7);
	cr_assert_eq(loss_grid_make(&g, &l, false, 80, 10), 0);
	cr_assert_eq(g.nr_rows, 2);
	cr_assert_eq(g.nr_columns, 3);
	cr_assert_eq(g.rows[1].first_cpu, 3);
	cr_assert_eq(g.cells[0].kept, 10);
	cr_assert_eq(g.cells[2].lost, 5);
	cr_assert_eq(g.cells[3 + 1].lost, 7);
	loss_grid_release(&g);
}

Test(loss, makes_columns_longer_and_groups_cpus_until_they_fit)
{
	for (uint32_t cpu = 0; cpu < 10; cpu++)
		for (uint64_t s = 100; s < 200; s++)
			put(cpu, s, 1, cpu);
	cr_assert_eq(loss_grid_make(&g, &l, false, 30, 4), 0);
	cr_assert_eq(g.step_ns, 4 * SEC);
	cr_assert_eq(g.nr_columns, 25);
	cr_assert_eq(g.nr_rows, 4);
	cr_assert_eq(g.rows[0].last_cpu, 2);
	cr_assert_eq(g.rows[3].first_cpu, 9);
	cr_assert_eq(g.cells[0].kept, 12);
	cr_assert_eq(g.cells[0].lost, 4 * (0 + 1 + 2));
	loss_grid_release(&g);
}

Test(loss, has_no_grid_without_times)
{
	ring(0)->kept = 5;
	cr_assert_eq(loss_grid_make(&g, &l, false, 30, 4), 0);
	cr_assert_eq(g.nr_columns, 0);
	loss_grid_release(&g);
}

Test(loss, finds_no_bias_where_losses_are_even)
{
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		for (uint64_t s = 1; s < 11; s++)
			put(cpu, s, 100, 300);
	cr_assert_not(loss_bias(&l, &b));
	cr_assert_float_eq(b.percent, 75, 1e-9);
	cr_assert_float_eq(b.cpu_points, 0, 1e-9);
	cr_assert_float_eq(b.time_points, 0, 1e-9);
}

Test(loss, says_how_far_shares_of_cpus_can_be_off)
{
	/*
	 * half of CPU 1 is lost: it has a third of the kept samples, and a half of the offered ones
	 */
	put(0, 1, 1000, 0);
	put(1, 1, 500, 500);
	cr_assert(loss_bias(&l, &b));
	cr_assert_float_eq(b.cpu_points, 100.0 / 2 - 100.0 / 3, 1e-6);
	cr_assert_eq(b.cpu, 1);
	cr_assert_float_eq(b.cpu_percent, 50, 1e-9);
	cr_assert_float_eq(b.time_points, 0, 1e-9);
	print_loss_bias(&l, &out);
	cr_assert_str_eq(text(),
			 "# Loss bias: 25.0 % of the records are lost, and not evenly. Shares can "
			 "be off by 16.7 points by CPU (CPU 1 lost 50.0 %); see --loss\n#\n");
}

Test(loss, says_how_far_shares_of_moments_can_be_off)
{
	put(0, 7, 1000, 0);
	put(0, 12, 500, 500);
	cr_assert(loss_bias(&l, &b));
	cr_assert_float_eq(b.time_points, 100.0 / 2 - 100.0 / 3, 1e-6);
	cr_assert_eq(b.after_s, 5);
	cr_assert_float_eq(b.cpu_points, 0, 1e-9);
}

Test(loss, counts_losses_of_unknown_time_for_their_cpu)
{
	put(0, 1, 1000, 0);
	put(1, 1, 500, 0);
	ring(1)->lost[TS_LOSS_RING_FULL] = ring(1)->at_unknown_time = 500;
	cr_assert(loss_bias(&l, &b));
	cr_assert_float_eq(b.cpu_points, 100.0 / 2 - 100.0 / 3, 1e-6);
}

Test(loss, keeps_quiet_about_few_losses)
{
	put(0, 1, 100000, 0);
	put(1, 1, 100000, 900);
	cr_assert_not(loss_bias(&l, &b));
	print_loss_bias(&l, &out);
	cr_assert_eq(out.len, 0);
}

Test(loss, leaves_side_band_out_of_the_bias)
{
	put(0, 1, 1000, 0);
	put(1, 1, 10, 5000);
	ring(1)->is_sideband = true;
	cr_assert_not(loss_bias(&l, &b));
}

static void fill_map(void)
{
	put(0, 10, 1000, 0);
	put(0, 11, 1000, 1);
	put(0, 12, 95, 5);
	put(0, 13, 60, 40);
	put(0, 14, 0, 40);
	put(2, 14, 8, 0);
}

Test(loss, draws_a_map_in_ascii)
{
	const struct loss_style style = {.columns = 60, .lines = 40};

	fill_map();
	cr_assert_eq(print_loss_map(&l, &style, &out), 0);
	cr_assert_str_eq(text(),
			 "#\n# Share lost: '.' none, '-' < 1 %, '+' < 10 %, '*' < 50 %, '#' "
			 "more, ' ' no records.\n# A column is 1 s.\n"
			 "CPU 0        |.-+*#|\n"
			 "CPU 2        |    .|\n"
			 "#             +0 s\n");
}

Test(loss, draws_a_map_with_colours_where_it_may)
{
	const struct loss_style style = {
		.columns = 60, .lines = 40, .has_colors = true, .quiet = true};

	fill_map();
	cr_assert_eq(print_loss_map(&l, &style, &out), 0);
	cr_assert_str_eq(text(),
			 "CPU 0        |.\033[33m-+\033[0m\033[31m*\033[0m\033[1;31m#\033[0m|\n"
			 "CPU 2        |    .|\n");
}

Test(loss, draws_a_map_no_wider_than_the_terminal)
{
	const struct loss_style style = {.columns = 40, .lines = 12, .quiet = true};
	size_t lines = 0;

	for (uint32_t cpu = 0; cpu < 300; cpu++)
		for (uint64_t s = 0; s < 3; s++)
			put(cpu, s * 1000 + 1, 5, 5);
	cr_assert_eq(print_loss_map(&l, &style, &out), 0);
	for (const char *at = text(), *end; *at; at = end + 1, lines++) {
		end = strchr(at, '\n');
		cr_assert_leq(end - at, 40);
	}
	cr_assert_leq(lines, 12);
}

static struct chunk chunk(uint32_t ring_number, uint32_t cpu, uint64_t second, uint64_t lost)
{
	return (struct chunk){
		.header_bytes = TS_CHUNK_HEADER_BYTES,
		.flags = CHUNK_SAMPLES,
		.nr_records = 10,
		.time_min_ns = second * SEC,
		.time_max_ns = second * SEC,
		.ring = ring_number,
		.cpu = cpu,
		.lost = lost,
		.lost_cause = lost ? TS_LOSS_DISK : TS_LOSS_NONE,
	};
}

Test(loss, comes_from_chunk_headers_where_there_is_no_account)
{
	struct chunk chunks[] = {chunk(5, 1, 10, 0), chunk(4, 0, 10, 0), chunk(5, 1, 12, 6)};
	struct capture capture = {.kind = CAPTURE_FILE, .path = (char *)"nowhere"};
	struct chunk_table t = {.capture = &capture, .chunks = chunks, .nr = 3};
	struct ts_error err;

	cr_assert_eq(loss_open(&l, &capture, &t, &err), 0);
	cr_assert_eq(l.source, LOSS_FROM_CHUNKS);
	cr_assert_not(l.is_exact);
	cr_assert_eq(l.nr, 2);
	cr_assert_eq(l.rings[0].number, 4);
	cr_assert_eq(l.rings[0].kept, 10);
	cr_assert_eq(l.rings[1].kept, 20);
	cr_assert_eq(l.rings[1].lost[TS_LOSS_DISK], 6);
	cr_assert_eq(l.rings[1].timeline.slots[0].nr[TS_LOSS_DISK], 2);
	cr_assert_eq(l.rings[1].timeline.slots[1].nr[TS_LOSS_DISK], 3);
	loss_close(&l);
	loss_close(&l);
}

static void lost(struct made_capture *m, uint32_t type, uint16_t misc, uint64_t nr, uint64_t at_s)
{
	struct perf_event_header hdr = {.type = type, .misc = misc};

	made_lost(m, 0, hdr, nr, at_s * SEC);
}

Test(loss, tells_samples_that_the_processor_dropped_from_a_full_ring)
{
	struct made_capture m;
	struct made_sample sample = {.time_ns = 10 * SEC, .pid = 1, .tid = 1};
	struct chunk_table t;
	struct ts_error err;

	made_capture_init(&m, 1);
	made_sample(&m, 0, &sample);
	lost(&m, PERF_RECORD_LOST, 0, 5, 11);
	lost(&m, PERF_RECORD_LOST_SAMPLES, 0, 7, 12);
	lost(&m, PERF_RECORD_LOST_SAMPLES, 0, 6, 0);	    /* the kernel's total of the first */
	lost(&m, PERF_RECORD_LOST_SAMPLES, 1 << 15, 90, 0); /* a filter left these out */
	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&t, &m.capture, 1, 0, NULL, &err), 0);
	cr_assert_eq(loss_open(&l, &m.capture, &t, &err), 0);
	cr_assert_eq(l.source, LOSS_FROM_RECORDS);
	cr_assert_eq(l.nr, 2);
	cr_expect_eq(l.rings[0].lost[TS_LOSS_RING_FULL], 5);
	cr_expect_eq(l.rings[0].lost[TS_LOSS_HARDWARE], 7);
	cr_expect_eq(ts_timeline_sum(&l.rings[0].timeline, TS_LOSS_HARDWARE), 7);
	cr_expect_eq(l.rings[1].lost[TS_LOSS_RING_FULL], 1, "at an unknown time");
	cr_expect_eq(l.rings[1].at_unknown_time, 1);
	ts_bytes_init(&out);
	print_loss_table(&l, "made", &(struct loss_style){.columns = 80}, &out);
	cr_expect_not_null(strstr(text(), "ring full 5, hardware 7"));
	ts_bytes_release(&out);
	loss_close(&l);
	chunk_table_close(&t);
	made_capture_release(&m);
}

Test(loss, names_what_was_lost_to_compression)
{
	struct account_gap gaps[] = {{10, 11}, {12, 0}};
	const struct account account = {.gaps = gaps, .nr_gaps = 2};
	struct chunk chunks[] = {chunk(5, 1, 10, 0), chunk(5, 1, 12, 6)};
	struct capture capture = {.kind = CAPTURE_FILE, .path = (char *)"nowhere"};
	struct chunk_table t = {.capture = &capture, .chunks = chunks, .nr = 2};
	struct loss_json json = {0};
	struct ts_error err;

	chunks[1].lost_cause = TS_LOSS_COMPRESSION;
	cr_assert_eq(loss_open(&l, &capture, &t, &err), 0);
	cr_expect_eq(l.rings[0].lost[TS_LOSS_COMPRESSION], 6);
	ts_bytes_init(&out);
	print_loss_table(&l, "made", &(struct loss_style){.columns = 80}, &out);
	cr_expect_not_null(strstr(text(), "compression late 6"));
	ts_bytes_release(&out);
	ts_bytes_init(&out);
	cr_assert_eq(loss_json_add(&json, capture.path, &l, &account), 0);
	cr_assert_eq(loss_json_print(&json, &out), 0);
	loss_json_close(&json);
	cr_expect_not_null(strstr(text(), "\"compression\":6"));
	cr_expect_not_null(strstr(text(), "\"names_missing\":["));
	cr_expect_not_null(strstr(text(), "\"to_ns\":11\n"));
	cr_expect_not_null(strstr(text(), "\"from_ns\":12\n"));
	ts_bytes_release(&out);
	loss_close(&l);
}
