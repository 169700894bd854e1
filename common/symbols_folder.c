// SPDX-License-Identifier: Apache-2.0
#include "common/symbols_folder.h"

#include <stdio.h>
#include <string.h>

#define HEX_DIGITS "0123456789abcdef"
#define DIGITS	   "0123456789"
#define MAP_PREFIX "perf-"
#define MAP_SUFFIX ".map"

static const char *const suffixes[] = {
	[TS_SYMBOLS_OBJECT] = ".elf",
	[TS_SYMBOLS_DEBUG] = ".debug",
	[TS_SYMBOLS_KALLSYMS] = ".kallsyms",
};

const char *ts_symbols_name(char name[TS_SYMBOLS_NAME], const struct ts_build_id *id,
			    enum ts_symbols_kind kind)
{
	size_t len = 0;

	for (size_t i = 0; i < id->len; i++)
		len += (size_t)snprintf(name + len, TS_SYMBOLS_NAME - len, "%02x", id->bytes[i]);
	snprintf(name + len, TS_SYMBOLS_NAME - len, "%s", suffixes[kind]);
	return name;
}

const char *ts_symbols_map_name(char name[TS_SYMBOLS_NAME], uint32_t pid)
{
	snprintf(name, TS_SYMBOLS_NAME, MAP_PREFIX "%u" MAP_SUFFIX, pid);
	return name;
}

static bool is_map_name(const char *name)
{
	const char *digits = name + strlen(MAP_PREFIX);
	size_t len;

	if (strncmp(name, MAP_PREFIX, strlen(MAP_PREFIX)) != 0)
		return false;
	len = strspn(digits, DIGITS);
	return len && !strcmp(digits + len, MAP_SUFFIX);
}

bool ts_symbols_is_name(const char *name)
{
	const size_t len = strspn(name, HEX_DIGITS);

	if (!strcmp(name, TS_SYMBOLS_TMP) || !strcmp(name, TS_SYMBOLS_LINK) || is_map_name(name))
		return true;
	for (size_t i = 0; len && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(name + len, suffixes[i]))
			return true;
	return false;
}
