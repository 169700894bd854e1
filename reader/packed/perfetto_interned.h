/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interned data of a Perfetto trace: names, objects, frames and stacks, which samples name by
 * number. A sequence of packets has its own, so they are written again for each capture, each before
 * the first sample that needs it.
 *
 *	look of a frame --> function name and frame of the same number + 1
 *	its object      --> mapping, path and build-id of the same number; without one: a mapping without path
 *	path            --> callstack of the same number + 1, the outermost frame first
 *
 * Source: protos/perfetto/trace/profiling/profile_common.proto. A frame has no address: the names are
 * known, and a viewer tells frames apart by mapping, address and name.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_PACKED_PERFETTO_INTERNED_H
#define TS_READER_PACKED_PERFETTO_INTERNED_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/packed/perfetto_packets.h"
#include "reader/packed/pprof_mappings.h"
#include "reader/page/stack_paths.h"

struct perfetto_interned {
	struct perfetto_packets *packets;
	const struct stack_paths *paths; /* bare ones */
	struct pprof_mappings mappings;
	/* owned; the sequence that had it last; 0: none. By look, number of a mapping - 1, path */
	uint32_t *looks, *objects, *stacks;
	uint64_t *ids; /* owned; room for the longest path */
	struct ts_bytes text;
};

/* All of these must outlive *i. 0 or -ENOMEM; release in both cases. */
int perfetto_interned_init(struct perfetto_interned *i, struct perfetto_packets *packets,
			   const struct stack_paths *paths, const struct aggregate *a);
/*
 * Writes what samples of this path need and the sequence of packets->capture does not have yet. Errors are
 * those of packed_file_put().
 */
int perfetto_interned_put(struct perfetto_interned *i, uint32_t path, struct ts_error *err);
void perfetto_interned_release(struct perfetto_interned *i); /* accepts a zeroed one; idempotent */

#endif
