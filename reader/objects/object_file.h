/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object of a module: the ELF file that ran, wherever it is found.
 *
 * Its build-id is the recorded one, where one was recorded. It is looked for in the capture's own folder of
 * symbols, then at its path, then, if it has a build-id to be known by, at that path in the root of a process that mapped it and
 * lives in a container. debuginfod servers are asked last, where the command line says so.
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
 * Opens it, for the caller to close; ret_path (PATH_MAX bytes) is where it is. expected->len 0: any is taken. -ESTALE: there is only another one; -errno.
 */
int object_file_open(struct elf_file *ret, char *ret_path, const struct ts_build_id *expected,
		     const struct symbol_search *search, struct ts_error *err);
/* The same, in the capture's own folder alone. */
bool object_file_open_archived(struct elf_file *ret, char *ret_path,
			       const struct ts_build_id *expected,
			       const struct symbol_search *search);
/* Is it the recorded one? Else it is closed, and -ESTALE. */
int object_file_check(struct elf_file *object, const char *path, const struct ts_build_id *expected,
		      struct ts_error *err);

#endif
