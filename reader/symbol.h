/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: the name of the function that covers an address of a mapped object.
 *
 * One `struct symbols` serves a capture: it knows a module for each ts_dso of the tasks, reads a
 * module's symbol table the first time an address of it is looked up (ELF .symtab, else .dynsym,
 * with PLT entries; the running kernel's kallsyms when the build-id says it is the same kernel; the
 * vdso of this process; perf-PID.map), and answers from a sorted table. Which of several aliases is
 * named, and where a symbol of unknown size ends, follows perf, so that both print the same names.
 *
 * Threads: any number of threads may look up; the first one to touch a module reads it while others
 * of the same module wait. Names live as long as the struct.
 */
#ifndef READER_SYMBOL_H
#define READER_SYMBOL_H

#include <stdint.h>

#include "common/error.h"
#include "common/header.h"
#include "common/tasks.h"

struct symbol {
	uint64_t start, end; /* [start, end), in the module's address space (see symbols_find()) */
	const char *name;    /* demangled */
};

struct symbols;

/* Both arguments are used until symbols_free(). `tasks` must be frozen. */
struct symbols *symbols_new(const struct ts_tasks *tasks, const struct ts_header *header,
			    struct ts_error *err);
void symbols_free(struct symbols *syms);

/*
 * The symbol at address `addr` of a mapping of process `pid`; NULL: unknown. *ret_addr is the
 * address inside the module (file offset for user objects, the address itself for the kernel), so
 * *ret_addr - start is the offset.
 */
const struct symbol *symbols_find(struct symbols *syms, const struct ts_map *map, uint32_t pid,
				  uint64_t addr, uint64_t *ret_addr);

/* The short name of a mapped object as perf prints it: "libc.so.6", "[kernel.kallsyms]", "[vdso]",
 * "[xfs]". */
const char *symbols_dso_name(struct symbols *syms, uint32_t dso);
/* The long name: the path, "[kernel.kallsyms]" for the kernel. */
const char *symbols_dso_path(struct symbols *syms, uint32_t dso);

#endif
