// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/perf_map.h"

#include <errno.h>
#include <stdio.h>

#include "common/directory/symbols_folder.h"
#include "reader/objects/untrusted_file.h"
#include "reader/symbols/symbol_text.h"

int perf_map_load(struct symbol_table *t, uint32_t pid, const struct symbol_search *search,
		  struct symbol_limits *limits, struct untrusted_file_place *ret,
		  struct ts_error *err)
{
	char name[TS_SYMBOLS_NAME];
	const struct untrusted_file wanted = {pid, ts_symbols_map_name(name, pid),
					      "/tmp/perf-%u.map"};
	FILE *file = untrusted_file_find(&wanted, search, ret, err);
	int rc;

	if (!file)
		return -err->code;
	rc = symbol_text_perf_map(t, fileno(file), ret->path, limits, err);
	fclose(file);
	if (rc)
		return rc;
	*err = (struct ts_error){0};
	if (search->trail)
		ts_bytes_printf(search->trail, "%zu symbols from %s\n", t->nr, ret->path);
	return 0;
}
