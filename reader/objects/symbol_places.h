/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places where symbols are searched, as the command line names them.
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
	const char *symfs; /* folder that contains the modules' paths; NULL: / */
	const char
		*kallsyms;   /* file with the kernel's symbols; NULL: those of the running kernel */
	const char *vmlinux; /* ELF file of the kernel, used instead; NULL: none */
	struct debug_server *server; /* for files that are missing here; NULL: none is asked */
	const char *cache;	/* perf's cache of files, by build-id; NULL: the usual folder */
	bool with_source_paths; /* source files have their path, not only the name */
};

/* One search. */
struct symbol_search {
	const char
		*path; /* path of the object as recorded, below the folder of --symfs; NULL: none */
	const char *symfs;   /* as above */
	const char *cache;   /* as above */
	const char *archive; /* the capture's own folder of symbols; NULL: it has none */
	struct debug_server *server;
	uint32_t pid;		/* a process that mapped it; 0: unknown */
	struct ts_bytes *trail; /* gets a line for each place that was tried; NULL: not kept */
	int *fault;		/* as symbol_fault_note() keeps it; NULL: not kept */
};

/*
 * Keeps the first errno of a failure of the machine (ts_error_is_of_machine(), or a filesystem's
 * quota is used up), or that --mem-limit had no room (MEMORY_REFUSED).
 */
void symbol_fault_note(int *fault, int code);
/* Adds the failure at a place to the trail, and notes it. */
void symbol_search_note(const struct symbol_search *search, const struct ts_error *err);
/* Notes a failure of libelf (elf_file_fault()), before its next one takes its place. */
void symbol_search_note_elf(const struct symbol_search *search);

/*
 * Set the value of --symfs, --kallsyms or --vmlinux; the text is not copied. -errno if the file or
 * folder is unusable.
 */
int symbol_places_set_symfs(struct symbol_places *p, const char *folder, struct ts_error *err);
int symbol_places_set_kallsyms(struct symbol_places *p, const char *file, struct ts_error *err);
int symbol_places_set_vmlinux(struct symbol_places *p, const char *file, struct ts_error *err);
/* Sets the value of --debuginfod; urls NULL: it has none. */
int symbol_places_set_servers(struct symbol_places *p, const char *urls, struct ts_error *err);
/*
 * Call it when all values are set and no other thread runs yet. Without --debuginfod it keeps all
 * libraries from asking servers.
 */
void symbol_places_settle(const struct symbol_places *p);
void symbol_places_release(struct symbol_places *p); /* idempotent */

#endif
