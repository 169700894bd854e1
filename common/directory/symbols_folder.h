/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CAPTURE/symbols/: the files from which names, unwinding and source lines of a capture are read on
 * another machine.
 *
 *	BUILD-ID.elf		an object that ran, reduced to the needed parts
 *	BUILD-ID.debug		the same of its debug file
 *	BUILD-ID.kallsyms	the symbols of the kernel with that build-id, and of its modules
 *	perf-PID.map		the names of code that a process made at run time
 *	jit-PID.dump		the same with times (reader/symbols/jitdump.h)
 *
 * A file that is being made may lie beside them: TS_SYMBOLS_TMP or TS_SYMBOLS_LINK.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_DIRECTORY_SYMBOLS_FOLDER_H
#define TS_COMMON_DIRECTORY_SYMBOLS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/build_id.h"

#define TS_SYMBOLS_FOLDER "symbols"
#define TS_SYMBOLS_TMP	  "tmp-symbols"
#define TS_SYMBOLS_LINK	  "tmp-link"
#define TS_SYMBOLS_NAME	  64 /* bytes of a name, with its NUL */

enum ts_symbols_kind {
	TS_SYMBOLS_OBJECT,
	TS_SYMBOLS_DEBUG,
	TS_SYMBOLS_KALLSYMS,
};

/* Both return name. The build-id must not be empty. */
const char *ts_symbols_name(char name[TS_SYMBOLS_NAME], const struct ts_build_id *id,
			    enum ts_symbols_kind kind);
const char *ts_symbols_map_name(char name[TS_SYMBOLS_NAME], uint32_t pid);
/* Can a file of the folder have this name? */
bool ts_symbols_is_name(const char *name);

#endif
