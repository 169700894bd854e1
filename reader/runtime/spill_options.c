// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/spill_options.h"

#include "common/base/units.h"
#include "reader/runtime/spill.h"

#define LIMIT_LEAST (1u << 20) /* what one thread works with */

enum { OPTION_MEM_LIMIT = 640 }; /* the commands' own begin at 256 */

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Memory:", 2},
	{"mem-limit", OPTION_MEM_LIMIT, "SIZE", 0,
	 "private memory to read with; the rest goes to a file in $TMPDIR (1G)", 2},
	{0},
};

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	uint64_t *limit_bytes = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*limit_bytes = SPILL_LIMIT_DEFAULT;
		return 0;
	case OPTION_MEM_LIMIT:
		if (ts_parse_size(arg, limit_bytes))
			argp_error(state,
				   "cannot read with '%s' of memory: give a size, as in 512M or 4G",
				   arg);
		if (*limit_bytes < LIMIT_LEAST)
			argp_error(state,
				   "cannot read with %s of memory: the least is 1M, and a number "
				   "without K, M or G is bytes",
				   arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp spill_argp = {.options = option_table, .parser = take_option};
