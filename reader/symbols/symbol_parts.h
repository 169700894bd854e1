/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by symbol.c and symbol_resolve.c alone.
 *
 * Threads: the same as in symbol.h.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_PARTS_H
#define TS_READER_SYMBOLS_SYMBOL_PARTS_H

#include <pthread.h>

#include "reader/runtime/name_table.h"
#include "reader/symbols/inlined.h"
#include "reader/symbols/line_names.h"
#include "reader/symbols/module.h"
#include "reader/symbols/recorded_ids.h"
#include "reader/symbols/symbol.h"

struct jit_module {
	struct jit_module *older;
	uint32_t pid;
	struct module module;
};

struct symbols {
	/* constant after symbols_new() */
	const struct tasks *tasks;
	struct recorded_ids recorded_ids;
	struct module **modules; /* one a task_dso */
	/* the same for code that was copied from its file; under the lock; NULL: not met yet */
	struct module **copies;
	size_t nr_modules;
	struct module *kernel; /* of the main kernel map, NULL: not recorded */
	struct symbol_places places;
	struct symbol_limits limits;
	const char *archive;	    /* NULL: the capture has none */
	struct task_map kernel_map; /* stands for addresses that only kallsyms knows */

	_Atomic int fault; /* errno of symbols_note_fault(); any thread, relaxed */

	/* under the lock */
	pthread_mutex_t lock;
	struct name_table strings;
	void *jits;		       /* tree of struct jit_module by pid */
	struct jit_module *newest_jit; /* the others behind it, by `older` */

	struct line_names lines;
	struct inlined inlined;
};

/* The code that the JIT compiler of a process told of. NULL: out of memory. */
struct module *symbols_jit_of(struct symbols *syms, uint32_t pid);
/* The module for copies of a file's code. NULL: it is no file, or out of memory. */
struct module *symbols_copy_of(struct symbols *syms, uint32_t dso);
/* The module that was asked for symbols; NULL: none was. */
const struct module *symbols_asked(const struct module *m);
/* Is the map executable memory without a file? */
bool symbols_is_memory_code(const char *path, const struct task_map *map);

#endif
