/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The separate debug file of an object that was stripped.
 *
 * It is looked for in the capture's own folder of symbols, by build-id below /usr/lib/debug and in perf's cache (~/.debug), then by the name
 * that the object has in .gnu_debuglink: beside the object, in .debug there, and below /usr/lib/debug; then the same
 * in the root of a process that mapped it and lives in a container.
 * debuginfod servers are asked last, where the command line says so.
 * Wherever it is found its build-id must be the object's.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_READER_OBJECTS_DEBUG_FILE_H
#define TS_READER_OBJECTS_DEBUG_FILE_H

#include <stdbool.h>

#include "reader/objects/elf_file.h"
#include "reader/objects/symbol_places.h"

/*
 * Opens one that has a symbol table, for the caller to close; ret_path (PATH_MAX bytes) is where it
 * is. False: there is none.
 */
bool debug_file_open(struct elf_file *ret, char *ret_path, const struct elf_file *object,
		     const struct symbol_search *search);

/*
 * Opens the file that has a part of the DWARF of `source`, which lies at `path` (.gnu_debugaltlink, as dwz makes it). False also
 * where all of it is in `source`.
 */
bool debug_file_open_alt(struct elf_file *ret, char *ret_path, const struct elf_file *source,
			 const char *path, const struct symbol_search *search);

#endif
