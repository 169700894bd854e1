// SPDX-License-Identifier: Apache-2.0
#include "reader/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

/* Mangled names of a hostile file may nest without end; real ones are far shorter than this. */
#define LONGEST_NAME_BYTES 8192

char *demangle(const char *name)
{
	if (name[0] != '_' || strnlen(name, LONGEST_NAME_BYTES) == LONGEST_NAME_BYTES)
		return NULL;
	return cplus_demangle(name, DMGL_NO_OPTS);
}
