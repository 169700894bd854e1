/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter that one thread writes and any thread may read while it grows.
 *
 * Because only one thread writes, a plain load and store are enough: the data path needs no locked
 * instruction. Readers see a value that the counter had, never a torn one. The counter orders no
 * other memory access.
 *
 * Threads: add, max and set for the one owner; read for any thread.
 */
#ifndef TS_COMMON_BASE_COUNTER_H
#define TS_COMMON_BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Fields of different owners lie at least this far apart, so their threads do not slow each other
 * down.
 */
#define TS_CACHE_LINE 64

struct ts_counter {
	_Atomic uint64_t value;
};

static inline uint64_t ts_counter_read(const struct ts_counter *c)
{
	return atomic_load_explicit(&c->value, memory_order_relaxed);
}

static inline void ts_counter_set(struct ts_counter *c, uint64_t value)
{
	atomic_store_explicit(&c->value, value, memory_order_relaxed);
}

static inline void ts_counter_add(struct ts_counter *c, uint64_t by)
{
	ts_counter_set(c, ts_counter_read(c) + by);
}

/* Keeps the largest value seen. */
static inline void ts_counter_max(struct ts_counter *c, uint64_t value)
{
	if (value > ts_counter_read(c))
		ts_counter_set(c, value);
}

#endif
