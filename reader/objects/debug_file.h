/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The separate debug file of an object that was stripped.
 *
 * Places that are searched, in this order:
 * - the capture's own folder of symbols;
 * - by build-id: below /usr/lib/debug, and in perf's cache (~/.debug);
 * - by the name in the object's .gnu_debuglink: beside the object, in .debug there, and below
 *   /usr/lib/debug;
 * - the same places in the root of a process that mapped the object and lives in a container;
 * - debuginfod servers, if the command line says so.
 *
 * In every place the build-id of the file must be the object's. If the object has none, only the name
 * is searched, and the checksum beside it must be that of the whole file.
 *
 * Threads: pure functions but for the files.
 */
#ifndef TS_READER_OBJECTS_DEBUG_FILE_H
#define TS_READER_OBJECTS_DEBUG_FILE_H

#include <stdbool.h>

#include "reader/objects/elf_file.h"
#include "reader/objects/symbol_places.h"

/*
 * Opens a debug file that has a symbol table, for the caller to close. ret_path (PATH_MAX bytes)
 * gets its path. False: none was found.
 */
bool debug_file_open(struct elf_file *ret, char *ret_path, const struct elf_file *object,
		     const struct symbol_search *search);

/*
 * Opens the file that has a part of the DWARF of `source` (.gnu_debugaltlink, as dwz makes it);
 * `source` lies at `path`. False: no file was found, or all DWARF is in `source`.
 */
bool debug_file_open_alt(struct elf_file *ret, char *ret_path, const struct elf_file *source,
			 const char *path, const struct symbol_search *search);

#endif
