// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/unwind_options.h"

#include <errno.h>
#include <string.h>

#include "reader/samples/unwind.h"

static int read_way(void *way, const char *value, struct ts_error *err)
{
	static const char *const words[] = {[UNWIND_BY_TABLE] = "table",
					    [UNWIND_BY_ELF] = "libdw",
					    [UNWIND_BY_BOTH] = "both",
					    [UNWIND_NOT] = "no"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i], value) != 0)
			continue;
		*(enum unwind_way *)way = (enum unwind_way)i;
		return 0;
	}
	return ts_error_set(err, EINVAL, "cannot unwind by '%s': give table, libdw, both or no",
			    value);
}

const struct ts_option unwind_rows[] = {
	{TS_OPTION_READ, "unwind", 0, "WAY", "dumped stacks: table (default), libdw, both, no",
	 .read = read_way},
	{0},
};
