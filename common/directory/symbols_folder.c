// SPDX-License-Identifier: Apache-2.0
#include "common/directory/symbols_folder.h"

#include <stdio.h>
#include <string.h>

#define HEX_DIGITS "0123456789abcdef"
#define DIGITS	   "0123456789"

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
	snprintf(name, TS_SYMBOLS_NAME, "perf-%u.map", pid);
	return name;
}

/* "perf-" NUMBER ".map" */
static bool is_numbered(const char *name, const char *prefix, const char *suffix)
{
	const char *digits = name + strlen(prefix);
	size_t len;

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return false;
	len = strspn(digits, DIGITS);
	return len && !strcmp(digits + len, suffix);
}

bool ts_symbols_is_name(const char *name)
{
	const size_t len = strspn(name, HEX_DIGITS);

	if (!strcmp(name, TS_SYMBOLS_TMP) || !strcmp(name, TS_SYMBOLS_LINK) ||
	    is_numbered(name, "perf-", ".map") || is_numbered(name, "jit-", ".dump"))
		return true;
	for (size_t i = 0; len && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(name + len, suffixes[i]))
			return true;
	return false;
}
