/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made capture of two streams, and its table of chunks:
 *
 *	add_samples(0, 10, 1);
 *	made_chunk(&m, 1, 20, 100, 0);
 *	open_table(2, CHUNK_TABLE_COUNTS);
 *	cr_assert_eq(records_of_all(), 30);
 *
 * Threads: one, the test.
 */
#ifndef TS_TESTS_SUPPORT_CHUNK_SCENE_H
#define TS_TESTS_SUPPORT_CHUNK_SCENE_H

#include <criterion/criterion.h>

#include "reader/chunks/chunk_table.h"
#include "tests/support/made_capture.h"

/* of the running test; Criterion gives each its own process */
static struct made_capture m;
static struct chunk_table t;
static struct ts_error err;

static inline void set_up_chunks(void)
{
	made_capture_init(&m, 2);
}

static inline void tear_down_chunks(void)
{
	chunk_table_close(&t);
	made_capture_release(&m);
}

/* Samples of 64 bytes, a nanosecond apart. */
static inline void add_samples(size_t stream, size_t nr, uint64_t first_ns)
{
	for (size_t i = 0; i < nr; i++)
		made_sample(&m, stream,
			    &(struct made_sample){
				    .time_ns = first_ns + i, .period = 1, .pid = 1, .tid = 1});
}

static inline void open_table(unsigned int nr_workers, unsigned int flags)
{
	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&t, &m.capture, nr_workers, flags, NULL, &err), 0, "%s",
		     err.text);
}

static inline uint64_t records_of_all(void)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < t.nr; i++)
		nr += t.chunks[i].nr_records;
	return nr;
}

#endif
