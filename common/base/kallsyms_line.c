// SPDX-License-Identifier: Apache-2.0
#include "common/base/kallsyms_line.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Finds the module of "NAME\t[MODULE]"; `at` is the tab. */
static void parse_module(const char *at, const char *end, struct ts_kallsyms_line *ret)
{
	ret->module = NULL;
	ret->module_len = 0;
	if (end - at < 3 || at[1] != '[' || end[-1] != ']')
		return;
	ret->module = at + 2;
	ret->module_len = (size_t)(end - 1 - ret->module);
}

bool ts_kallsyms_parse(const char *line, size_t len, struct ts_kallsyms_line *ret)
{
	const char *at = line, *end = line + len, *tab;
	uint64_t addr = 0;

	for (; at < end && hex_digit(*at) >= 0; at++)
		addr = addr << 4 | (uint64_t)hex_digit(*at);
	if (at == line || at - line > 16 || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	ret->addr = addr;
	ret->type = at[1];
	ret->name = at + 3;
	tab = memchr(ret->name, '\t', (size_t)(end - ret->name));
	ret->name_len = (size_t)((tab ? tab : end) - ret->name);
	parse_module(tab ? tab : end, end, ret);
	return ret->name_len > 0;
}
