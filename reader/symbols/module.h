/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module: one mapped object of a capture, its names and, after the first lookup, its symbols.
 *
 * The kind decides the source of its symbols. A module that cannot be read stays empty and keeps
 * the reason. It is small until it is asked: a capture may name very many files.
 *
 * Threads: the caller of module_init() fills the fields above `lock`. The first thread that asks for
 * symbols, rules or lines fills the others, and `reference`, under the lock (ordering note 6 of
 * docs/threads.md).
 */
#ifndef TS_READER_SYMBOLS_MODULE_H
#define TS_READER_SYMBOLS_MODULE_H

#include <pthread.h>
#include <stdbool.h>

#include "common/base/build_id.h"
#include "reader/cfi/unwind_module.h"
#include "reader/objects/srcline.h"
#include "reader/symbols/jit_lines.h"
#include "reader/symbols/jit_unwind.h"
#include "reader/symbols/kept_error.h"
#include "reader/symbols/symbol_elf.h"
#include "reader/symbols/symbol_table.h"
#include "reader/symbols/symbol_text.h"

#define MODULE_KERNEL_NOTES "/sys/kernel/notes"
#define MODULE_KALLSYMS	    "/proc/kallsyms"

struct symbol_ahead;

enum module_kind {
	MODULE_FILE, /* an ELF file */
	MODULE_VDSO,
	MODULE_KERNEL,	/* the kernel and its modules: one table, kallsyms */
	MODULE_KSYMBOL, /* one symbol made at run time (a BPF program): the map is the symbol */
	MODULE_JIT,	/* executable anonymous memory: perf-PID.map */
	MODULE_JITDUMP, /* code of a jitdump file */
	MODULE_NONE,	/* memory without a file: no symbols */
};

struct module {
	enum module_kind kind;
	struct module_name name;
	const char *path;	     /* as recorded, below the folder of --symfs */
	struct ts_build_id build_id; /* len 0: unknown, the file is trusted */
	/* kernel with other symbols: recorded address of the reference symbol; 0: unknown */
	uint64_t reference;
	/* the same, also where the running kernel's symbols are used */
	uint64_t recorded_reference;
	const char *reference_name; /* "_text", "_stext" */
	uint32_t pid; /* JIT: the owner of the memory; file: the last process that mapped it */
	const char *symfs, *kallsyms, *vmlinux; /* as in struct symbol_places */
	const char *cache;			/* the same */
	const char *archive;			/* the capture's folder of symbols; NULL: none */
	struct debug_server *server;
	struct symbol_limits *limits; /* of symbols; NULL: none */
	struct symbol_ahead *ahead;   /* kernel: may have the symbols already; or NULL */

	pthread_mutex_t lock;
	_Atomic bool is_loaded;	 /* release by the loader, acquire in module_find() */
	_Atomic bool is_loading; /* relaxed: a thread has begun to load */
	struct symbol_table table;
	uint64_t moved; /* kernel: add to a recorded address to get that of the symbols */
	struct kept_error why_not; /* code 0: symbols were read */
	struct ts_bytes trail;	   /* the places tried, line by line */
	int fault;		   /* of files and libraries; see module_fault() */
	_Atomic bool is_unwind_loaded;
	struct unwind_module *unwind;  /* NULL: not asked for, or there is no object */
	struct jit_unwind *jit_unwind; /* jitdump: in its place */
	/* under the lock */
	char *object;		     /* path of the file that ran, or of the map; NULL: unknown */
	struct harmless object_how;  /* how to open it */
	struct kept_error no_object; /* code 0: it was found, or not looked for */
	bool are_lines_loaded;
	struct srcline *lines;	     /* NULL: it has none */
	struct jit_lines *jit_lines; /* jitdump: in its place */
};

void module_init(struct module *m, enum module_kind kind);
void module_release(struct module *m);

/*
 * The symbol at an address of the module (file offset; for kernel and JIT the address). NULL: none.
 */
const struct symbol *module_find(struct module *m, uint64_t addr);
/* Does a symbol start in [start, end)? Of a module that module_find() was asked about. */
bool module_has_in(const struct module *m, uint64_t start, uint64_t end);
/* Would module_find() wait, because another thread reads the symbols now? */
bool module_would_wait(const struct module *m);
/* The rule that leads from a frame at a file offset of the module to its caller's; never NULL. */
const struct unwind_rule *module_unwind_rule(struct module *m, uint64_t addr);
/*
 * A descriptor of the object itself, for libdw and for the caller to close; -1: none, or it would grow
 * too large there. *ret_vaddr is the address
 * that the file gives to a file offset of its code.
 */
int module_open_object(struct module *m, uint64_t addr, uint64_t *ret_vaddr);
/*
 * How to open `path` of a module of a jitdump file, as it was opened when jitdump_find() found it
 * there. The beginning of the path tells the place: the capture's folder of symbols, --symfs or the
 * root of the process. No part of any other path is trusted.
 */
struct harmless module_how_by_path(const struct module *m);
/*
 * A descriptor of a copy of this process's vdso, if it is the recorded one; for the caller to
 * close. -errno.
 */
int module_copy_vdso(const struct module *m, struct ts_error *err);
/*
 * Source lines and inlined functions at a file offset. They live as long as the module. NULL:
 * unknown.
 */
const struct srcline_place *module_lines(struct module *m, uint64_t addr);
/* Finds the source lines, and adds the file that has them, or the reason of failure, to the trail. */
void module_open_lines(struct module *m);
/*
 * The first reason, as symbol_fault_note() keeps it, why symbols, rules or lines of the module may
 * be missing; 0: none. No thread may ask it meanwhile.
 */
int module_fault(const struct module *m);
/* Kernel only: do its symbols reach over this address? Recorded maps may not. */
bool module_reaches(struct module *m, uint64_t addr);

#endif
