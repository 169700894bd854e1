// SPDX-License-Identifier: Apache-2.0
#include "common/base/path.h"

#include <string.h>

const char *ts_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *ts_path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}
