// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_reads.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "common/base/log.h"

void print_reads(const struct chunk_table *t)
{
	if (!t->reads)
		return;
	ts_log_say(TS_LOG_VERBOSE,
		   "Read %" PRIu64 " of %" PRIu64 " chunks, %" PRIu64 " of %" PRIu64
		   " bytes of the streams",
		   atomic_load(&t->reads->nr_chunks), t->nr_seen, atomic_load(&t->reads->bytes),
		   chunk_table_bytes(t));
}
