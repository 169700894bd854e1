// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/size_limit.h"

int size_limit_init(struct size_limit *l, uint64_t max_bytes, struct ts_error *err)
{
	l->max_bytes = max_bytes;
	atomic_init(&l->bytes, 0);
	return ts_stop_init(&l->reached, err);
}

void size_limit_release(struct size_limit *l)
{
	ts_stop_release(&l->reached);
}

void size_limit_restart(struct size_limit *l)
{
	atomic_store_explicit(&l->bytes, 0, memory_order_relaxed);
	ts_stop_lower(&l->reached);
}

void size_limit_add(struct size_limit *l, uint64_t bytes)
{
	uint64_t before;

	/* Relaxed: only the sum matters. The writer whose bytes pass the bound raises the flag. */
	before = atomic_fetch_add_explicit(&l->bytes, bytes, memory_order_relaxed);
	if (before < l->max_bytes && before + bytes >= l->max_bytes)
		ts_stop_raise(&l->reached);
}

uint64_t size_limit_bytes(const struct size_limit *l)
{
	return atomic_load_explicit(&l->bytes, memory_order_relaxed);
}
