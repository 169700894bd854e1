// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/memory_options.h"

#include <errno.h>

#include "common/base/units.h"
#include "reader/runtime/memory_limit.h"

#define LIMIT_LEAST (1u << 20) /* one thread needs as much */

static int read_limit(void *limit, const char *value, struct ts_error *err)
{
	uint64_t bytes;

	if (ts_units_parse_size(value, &bytes))
		return ts_error_set(
			err, EINVAL,
			"cannot read with '%s' of memory: give a size, as in 512M or 4G", value);
	if (bytes < LIMIT_LEAST)
		return ts_error_set(err, EINVAL,
				    "cannot read with %s of memory: the minimum is 1M, and a "
				    "number without K, M or G means bytes",
				    value);
	*(uint64_t *)limit = bytes;
	return 0;
}

const struct ts_option memory_rows[] = {
	{TS_OPTION_READ, "mem-limit", 0, "SIZE", "private memory (1G); the rest goes to $TMPDIR",
	 .read = read_limit},
	{0},
};
