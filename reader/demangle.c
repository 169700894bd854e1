// SPDX-License-Identifier: Apache-2.0
#include "reader/demangle.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mangled names of a hostile file may nest without end; real ones are far shorter than this. */
#define LONGEST_NAME_BYTES 8192

/* "_ZN...@plt": what stands behind the name itself is kept, as bfd_demangle() of perf does. */
static char *demangle_before(const char *name, const char *suffix)
{
	size_t len = (size_t)(suffix - name);
	char *bare = strndup(name, len);
	char *plain = bare ? cplus_demangle(bare, DMGL_NO_OPTS) : NULL;
	char *whole = NULL;

	if (plain && asprintf(&whole, "%s%s", plain, suffix) < 0)
		whole = NULL;
	free(plain);
	free(bare);
	return whole;
}

char *demangle(const char *name)
{
	const char *suffix;

	if (name[0] != '_' || strnlen(name, LONGEST_NAME_BYTES) == LONGEST_NAME_BYTES)
		return NULL;
	suffix = strchr(name, '@');
	return suffix ? demangle_before(name, suffix) : cplus_demangle(name, DMGL_NO_OPTS);
}
