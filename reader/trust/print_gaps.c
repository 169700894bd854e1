// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_gaps.h"

#include <inttypes.h>

#include "common/base/clock.h"
#include "reader/runtime/text.h"

/* As script prints a time, and --time takes it. */
static void put_time(uint64_t ns, struct ts_bytes *out)
{
	ts_bytes_printf(out, "%" PRIu64 ".%06" PRIu64, (uint64_t)(ns / TS_NS_PER_SEC),
			(uint64_t)(ns % TS_NS_PER_SEC / TS_NS_PER_US));
}

void print_gaps(const struct account *a, size_t nr_max, struct ts_bytes *out)
{
	for (size_t i = 0; i < a->nr_gaps && i < nr_max; i++) {
		text_put(out, "# Names and maps may be missing from ");
		put_time(a->gaps[i].from_ns, out);
		text_put(out, " s to ");
		if (a->gaps[i].to_ns) {
			put_time(a->gaps[i].to_ns, out);
			text_put(out, " s: side-band was lost\n");
		} else {
			text_put(out, "the end: side-band was lost\n");
		}
	}
	if (a->nr_gaps > nr_max)
		ts_bytes_printf(out, "# The same of %zu more times; see --loss\n",
				a->nr_gaps - nr_max);
}
