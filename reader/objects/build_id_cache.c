// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/build_id_cache.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

void build_id_cache_text(const struct ts_build_id *id, char text[BUILD_ID_CACHE_TEXT])
{
	char *to = text + sprintf(text, "%02x/", id->bytes[0]);

	for (size_t i = 1; i < id->len; i++)
		to += sprintf(to, "%02x", id->bytes[i]);
}

bool build_id_cache_path(char *ret_path, struct harmless *ret_how, const struct ts_build_id *id,
			 const char *file, const struct symbol_search *search)
{
	const char *root = search->symfs ? search->symfs : getenv("HOME");
	char text[BUILD_ID_CACHE_TEXT];

	if (search->cache)
		root = search->cache;
	if (id->len < 2 || !root || (!search->cache && !search->symfs && *root != '/'))
		return false;
	build_id_cache_text(id, text);
	if (snprintf(ret_path, PATH_MAX, "%s%s/.build-id/%s/%s", root,
		     search->cache ? "" : "/.debug", text, file) >= PATH_MAX)
		return false;
	*ret_how = harmless_below(root, ret_path);
	return true;
}
