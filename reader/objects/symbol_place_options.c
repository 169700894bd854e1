// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/symbol_place_options.h"

static int read_symfs(void *places, const char *value, struct ts_error *err)
{
	return symbol_places_set_symfs(places, value, err);
}

static int read_kallsyms(void *places, const char *value, struct ts_error *err)
{
	return symbol_places_set_kallsyms(places, value, err);
}

static int read_vmlinux(void *places, const char *value, struct ts_error *err)
{
	return symbol_places_set_vmlinux(places, value, err);
}

static int read_servers(void *places, const char *value, struct ts_error *err)
{
	return symbol_places_set_servers(places, value, err);
}

const struct ts_option symbol_file_rows[] = {
	{TS_OPTION_READ, "symfs", 0, "DIR", "root of the modules", .group = "Symbols",
	 .read = read_symfs},
	{TS_OPTION_TEXT, "buildid-dir", 0, "DIR", .is_hidden = true,
	 .at = offsetof(struct symbol_places, cache)},
	{TS_OPTION_READ, "debuginfod", 0, "[URLS]", "get missing files from these servers",
	 .read = read_servers},
	{0},
};

const struct ts_option symbol_place_rows[] = {
	{TS_OPTION_PART, .part = symbol_file_rows},
	{TS_OPTION_READ, "kallsyms", 0, "FILE", "the kernel's symbols", .read = read_kallsyms},
	{TS_OPTION_READ, "vmlinux", 'k', "FILE", .is_beside = true, .read = read_vmlinux},
	{TS_OPTION_FLAG, "full-source-path", .is_hidden = true,
	 .at = offsetof(struct symbol_places, with_source_paths)},
	{0},
};
