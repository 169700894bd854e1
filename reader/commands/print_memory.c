// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/print_memory.h"

#include <stdatomic.h>

#include "common/base/log.h"
#include "common/base/units.h"

void print_memory(const struct memory *s)
{
	uint64_t bytes = atomic_load_explicit(&s->most_file_bytes, memory_order_relaxed);
	char size[TS_UNITS_TEXT];

	if (bytes)
		ts_log_say(TS_LOG_VERBOSE, "Moved %s to files in %s",
			   ts_units_format_size(size, bytes), s->folder);
}
