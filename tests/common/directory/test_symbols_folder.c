// SPDX-License-Identifier: Apache-2.0
#include "common/directory/symbols_folder.h"

#include <criterion/criterion.h>

Test(symbols_folder, names_files_by_build_id_and_process)
{
	const struct ts_build_id id = {.bytes = {0x0a, 0xff}, .len = 2};
	struct ts_build_id longest = {.len = TS_BUILD_ID_MAX};
	char name[TS_SYMBOLS_NAME];

	memset(longest.bytes, 0xab, sizeof(longest.bytes));
	cr_expect_str_eq(ts_symbols_name(name, &id, TS_SYMBOLS_OBJECT), "0aff.elf");
	cr_expect_str_eq(ts_symbols_name(name, &id, TS_SYMBOLS_DEBUG), "0aff.debug");
	cr_expect_str_eq(ts_symbols_map_name(name, 4294967295), "perf-4294967295.map");
	cr_expect(ts_symbols_is_name(name));
	cr_expect_eq(strlen(ts_symbols_name(name, &longest, TS_SYMBOLS_KALLSYMS)),
		     2 * TS_BUILD_ID_MAX + strlen(".kallsyms"));
	cr_expect(ts_symbols_is_name(name));
}

Test(symbols_folder, knows_its_names)
{
	static const char *const others[] = {
		"",	     ".elf",	    "0aff",	  "0aff.elf2", "0aFF.elf", "notes.elf",
		"perf-.map", "perf-1.mapx", "perf-x.map", "tmp-data",  "data",	   "../0a.elf",
	};

	cr_expect(ts_symbols_is_name("0aff.elf"));
	cr_expect(ts_symbols_is_name("jit-12.dump"));
	cr_expect(ts_symbols_is_name(TS_SYMBOLS_TMP));
	cr_expect(ts_symbols_is_name(TS_SYMBOLS_LINK));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_expect_not(ts_symbols_is_name(others[i]), "%s", others[i]);
}
