/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where symbols are looked for, as the command line says.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_OBJECTS_SYMBOL_PLACES_H
#define TS_READER_OBJECTS_SYMBOL_PLACES_H

#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"

struct debug_server;

struct symbol_places {
	const char *symfs; /* folder that the modules' paths are below; NULL: / */
	const char
		*kallsyms;   /* file with the kernel's symbols; NULL: those of the running kernel */
	const char *vmlinux; /* ELF file of the kernel, in their place; NULL: none */
	struct debug_server *server; /* of what is not here; NULL: nobody is asked */
	bool with_source_paths;	     /* of source files the path, not only the name */
};

/* One search. */
struct symbol_search {
	const char *
		path; /* of the object as recorded, below the folder of --symfs; NULL: it has none */
	const char *symfs;   /* as above */
	const char *archive; /* the capture's own folder of symbols; NULL: it has none */
	struct debug_server *server;
	uint32_t pid;		/* of a process that mapped it; 0: none is known */
	struct ts_bytes *trail; /* a line is added for each thing that was tried; NULL: for none */
};

/* What --symfs, --kallsyms and --vmlinux name; it is used, not copied. -errno where it cannot be that. */
int symbol_places_set_symfs(struct symbol_places *p, const char *folder, struct ts_error *err);
int symbol_places_set_kallsyms(struct symbol_places *p, const char *file, struct ts_error *err);
int symbol_places_set_vmlinux(struct symbol_places *p, const char *file, struct ts_error *err);
/* What --debuginfod says; urls NULL: without a value. */
int symbol_places_set_servers(struct symbol_places *p, const char *urls, struct ts_error *err);
/* All are set, and no other thread runs yet: nobody is asked for files who was not to be. */
void symbol_places_settle(const struct symbol_places *p);
void symbol_places_release(struct symbol_places *p); /* idempotent */

#endif
