// SPDX-License-Identifier: Apache-2.0
/*
 * How fast a writer's upper half is: a full ring of records into chunks, against a bare memcpy of
 * the same bytes. No thread, no producer, no disk: the ring's head is moved on by its size over
 * records that stay, and blocks are dropped when they are full.
 *
 * Prints one line a record size: GB/s of the copy alone, of copy and walk, of the whole
 * (copy, walk, checksum, header), plain and compressed with level 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "streamer/drain.h"
#include "streamer/walk.h"
#include "tests/support/fake_ring.h"

#define RING_BYTES   (512u * 1024)
#define BUFFER_BYTES (1024u * 1024)
#define MEASURE_NS   (300 * TS_NS_PER_MS)

static struct fake_ring fake;
static struct ring ring;
static uint8_t *copy;

static void die(const struct ts_error *err)
{
	fprintf(stderr, "drain_speed: %s\n", err->text);
	exit(1);
}

static void set_up(size_t record_bytes)
{
	fake_ring_init(&fake, RING_BYTES);
	fake_ring_open(&fake, &ring, 0, TS_RING_SAMPLES);
	while (fake.head_pos < RING_BYTES)
		fake_ring_put_sample(&fake, record_bytes);
}

static void tear_down(void)
{
	ring_close(&ring);
	fake_ring_release(&fake);
}

/* The same records once more. */
static void refill(void)
{
	ring.page->data_head = ring.tail_pos + RING_BYTES;
}

static void copy_ring(void)
{
	size_t len;

	refill();
	ring_copy(&ring, copy, RING_BYTES, &len);
}

static void copy_and_walk(void)
{
	struct walk w;
	size_t bad;

	copy_ring();
	walk_records(copy, RING_BYTES, 1, &w, &bad);
}

static double gb_per_s(void (*once)(void))
{
	uint64_t start_ns = ts_now_ns(), now_ns, bytes = 0;

	do {
		once();
		bytes += RING_BYTES;
		now_ns = ts_now_ns();
	} while (now_ns - start_ns < MEASURE_NS);
	return (double)bytes / (double)(now_ns - start_ns);
}

static struct drain drain;
static struct buffer_pool pool;

static void drain_ring(void)
{
	refill();
	while (drain_step(&drain) == DRAIN_TOOK)
		;
	while (pool.first)
		buffer_free(&pool, buffer_next(&pool));
}

static double drain_gb_per_s(int level)
{
	static const uint8_t uuid[16];
	struct ring *refs[] = {&ring};
	struct drain_plan plan = {.rings = refs,
				  .nr_rings = 1,
				  .pool = &pool,
				  .compression_level = level,
				  .uuid = uuid,
				  .align = 4096};
	struct ts_error err;
	double speed;

	if (buffer_pool_init(&pool, 2, BUFFER_BYTES, NULL, &err) < 0 ||
	    drain_init(&drain, &plan, &err) < 0)
		die(&err);
	speed = gb_per_s(drain_ring);
	drain_release(&drain);
	buffer_pool_release(&pool);
	return speed;
}

int main(void)
{
	static const size_t sizes[] = {64, 128, 512, 8192};

	copy = aligned_alloc(4096, RING_BYTES);
	printf("GB/s, records of    copy   copy+walk   chunks   compressed\n");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double bare, walked, plain;

		set_up(sizes[i]);
		memset(copy, 1, RING_BYTES);
		bare = gb_per_s(copy_ring);
		walked = gb_per_s(copy_and_walk);
		plain = drain_gb_per_s(0);
		printf("%5zu bytes       %7.2f %11.2f %8.2f %12.2f\n", sizes[i], bare, walked,
		       plain, drain_gb_per_s(1));
		tear_down();
	}
	free(copy);
	return 0;
}
