/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf's cache of files, ~/.debug. `perf record` copies there what it has recorded, so a file that was
 * deleted or replaced since is still there:
 *
 *	.build-id/ab/cdef...    a link to a folder, named by the build-id
 *	    elf, debug          the object, its debug file
 *	    kallsyms, vdso      of the kernel, of [vdso]
 *
 * The folder is that of --buildid-dir; else .debug below --symfs; else .debug in the user's home.
 *
 * Threads: pure functions.
 *
 * Source: tools/perf/util/build-id.c of Linux 6.1.
 */
#ifndef TS_READER_OBJECTS_BUILD_ID_CACHE_H
#define TS_READER_OBJECTS_BUILD_ID_CACHE_H

#include <stdbool.h>

#include "common/base/build_id.h"
#include "reader/objects/harmless.h"
#include "reader/objects/symbol_places.h"

#define BUILD_ID_CACHE_TEXT (2 * TS_BUILD_ID_MAX + 2)

/* Writes "ab/cdef...": the first byte is a folder, the others are a name. */
void build_id_cache_text(const struct ts_build_id *id, char text[BUILD_ID_CACHE_TEXT]);
/*
 * Writes the path of a file in the cache (PATH_MAX bytes), and how to open it. False: there is no
 * cache, or no build-id to look for.
 */
bool build_id_cache_path(char *ret_path, struct harmless *ret_how, const struct ts_build_id *id,
			 const char *file, const struct symbol_search *search);

#endif
