/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object of a module: the ELF file that ran.
 *
 * If a build-id was recorded, the build-id of the file must be equal. Places that are searched, in
 * this order:
 * - the capture's own folder of symbols;
 * - its path;
 * and if a build-id was recorded:
 * - its path without " (deleted)";
 * - the same path in the root of a process that mapped it and lives in a container;
 * - the file that this process has mapped, or runs, even if it has no name any longer;
 * - perf's cache;
 * - debuginfod servers, if the command line says so.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_READER_OBJECTS_OBJECT_FILE_H
#define TS_READER_OBJECTS_OBJECT_FILE_H

#include "common/base/build_id.h"
#include "common/base/error.h"
#include "reader/objects/elf_file.h"
#include "reader/objects/symbol_places.h"

/*
 * Opens it, for the caller to close; ret_path (PATH_MAX bytes) gets its path. expected->len 0: any
 * build-id is accepted. -ESTALE: only another file was found; -errno.
 */
int object_file_open(struct elf_file *ret, char *ret_path, const struct ts_build_id *expected,
		     const struct symbol_search *search, struct ts_error *err);
/* The same in the capture's own folder only. */
bool object_file_open_archived(struct elf_file *ret, char *ret_path,
			       const struct ts_build_id *expected,
			       const struct symbol_search *search);
/* The same in perf's cache only, where it is called "elf" or "vdso". */
bool object_file_open_cached(struct elf_file *ret, char *ret_path,
			     const struct ts_build_id *expected, const struct symbol_search *search,
			     const char *file);
/*
 * Compares the build-id with the recorded one. If they differ, closes the object and returns
 * -ESTALE.
 */
int object_file_check(struct elf_file *object, const char *path, const struct ts_build_id *expected,
		      struct ts_error *err);

#endif
