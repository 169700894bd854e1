// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_limits.h"

#include <errno.h>
#include <stdatomic.h>

#include "common/base/min_max.h"
#include "reader/runtime/memory_limit.h"

/* Tables may take so much under any limit: twice the table of a usual kernel. */
#define FREE_BYTES (32u << 20)
/* Granted at once, so that the kernel is not asked for each small table. */
#define AHEAD_BYTES (64u << 10)

void symbol_limits_init(struct symbol_limits *l, struct memory *memory,
			const struct progress *progress)
{
	l->memory = memory;
	l->progress = progress;
	atomic_store_explicit(&l->taken_bytes, 0, memory_order_relaxed);
	atomic_store_explicit(&l->granted_bytes, FREE_BYTES, memory_order_relaxed);
}

bool symbol_limits_take(struct symbol_limits *l, uint64_t bytes)
{
	uint64_t taken;

	if (!l)
		return true;
	taken = atomic_fetch_add_explicit(&l->taken_bytes, bytes, memory_order_relaxed) + bytes;
	if (taken <= atomic_load_explicit(&l->granted_bytes, memory_order_relaxed))
		return true;
	if (!memory_has_room(l->memory, bytes + AHEAD_BYTES)) {
		symbol_limits_give(l, bytes);
		return false;
	}
	atomic_store_explicit(&l->granted_bytes, taken + AHEAD_BYTES, memory_order_relaxed);
	return true;
}

void symbol_limits_give(struct symbol_limits *l, uint64_t bytes)
{
	uint64_t taken;

	if (!l)
		return;
	taken = atomic_fetch_sub_explicit(&l->taken_bytes, bytes, memory_order_relaxed) - bytes;
	/* what was granted and is not used is for others */
	if (taken + AHEAD_BYTES < atomic_load_explicit(&l->granted_bytes, memory_order_relaxed))
		atomic_store_explicit(&l->granted_bytes,
				      ts_max(taken + AHEAD_BYTES, (uint64_t)FREE_BYTES),
				      memory_order_relaxed);
}

int symbol_limits_refuse(const char *what, struct ts_error *err)
{
	ts_error_set(err, MEMORY_REFUSED,
		     "cannot read %s: its symbols need more memory than is left", what);
	return ts_error_hint(err, "give more with --mem-limit");
}
