/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: the function that covers an address of a process or of the kernel at a moment.
 *
 * One `struct symbols` serves a capture. It takes maps from the frozen tasks, and has a module for
 * each mapped object. The first lookup of an address in a module reads its symbols from one of
 * these:
 * - ELF files, the first of these: the object's .symtab, the .symtab of its separate debug file, its
 *   .gnu_debugdata together with .dynsym, its .dynsym; PLT entries are added;
 * - of the kernel, the first of these: the file of --kallsyms, the file of --vmlinux, the kallsyms
 *   in the capture's folder of symbols, the running kernel's kallsyms. If the recorded build-id is
 *   that of another kernel, the kallsyms in perf's cache stand for the last one;
 * - this process's own vdso, if it is the recorded one, else the file in the capture's folder, else
 *   the one in perf's cache;
 * - a jitdump file;
 * - perf-PID.map.
 *
 * The code of a BPF program is one symbol: the map has its name. Code that a process copied from a
 * file into memory without a file (large pages) has the names of the file, with SYMBOLS_COPIED, if
 * no JIT compiler told of it (tasks_copied_from()).
 *
 * The choice among aliases, and the end of a symbol of unknown size, follow perf, so both print the
 * same names.
 *
 * Threads: any number of threads may look up at the same time; the first one that needs a module
 * reads it, and others that need the same module wait. Names and symbols live as long as the
 * struct.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_H
#define TS_READER_SYMBOLS_SYMBOL_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "common/base/build_id.h"
#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/objects/debug_server.h"
#include "reader/objects/symbol_places.h"
#include "reader/tasks/tasks.h"

#define SYMBOLS_COPIED " (copied)" /* behind the name of a function of such code */

struct symbol {
	uint64_t start, end; /* [start, end) in the module's address space (see struct location) */
	const char *name;    /* demangled, without parameters, as perf prints it */
};

/* A mapped object. Names are interned: equal pointers mean equal strings. */
struct module_name {
	const char *
		short_name; /* "libc.so.6", "[kernel.kallsyms]", "[vdso]", "[xfs]", "[JIT] tid 7" */
	const char *long_name; /* the path; "[kernel.kallsyms]" for the kernel */
};

/* The result of a lookup. */
struct location {
	const struct task_map *map; /* NULL: no map holds the address (module is NULL, too) */
	const struct module_name *module;
	const struct symbol *sym; /* NULL: unknown */
	/* inside the module: file offset; the address itself for the kernel, anonymous memory */
	uint64_t addr;
	/* perf's letter: 'k' kernel, '.' user, 'g' guest kernel, 'u' guest user, 'H' hypervisor */
	char level;
};

struct progress;
struct memory;
struct symbols;
struct symbol_ahead;
struct module;

/* Both arguments are used until symbols_free(). `tasks` must be frozen. */
struct symbols *symbols_new(const struct tasks *tasks, const struct ts_header *header,
			    struct ts_error *err);
/*
 * Takes the maps that the tasks got since the last call. No other thread may look up meanwhile. 0,
 * -ENOMEM, or -EFBIG where the files do not fit into memory.
 */
int symbols_extend(struct symbols *syms, struct ts_error *err);
void symbols_free(struct symbols *syms);
/*
 * Before the first lookup: the kernel's symbols may be there already. `ahead` outlives the struct.
 */
void symbols_use_ahead(struct symbols *syms, struct symbol_ahead *ahead);
/*
 * Before the first lookup: sets other places than the usual ones. `archive` is the capture's own
 * folder of symbols. Either may be NULL. The struct keeps both pointers, so what they point to must
 * outlive it.
 */
void symbols_use_places(struct symbols *syms, const struct symbol_places *places,
			const char *archive);
/*
 * Before the first lookup: sets the limits of reading symbols. Either may be NULL. Both outlive the
 * struct.
 */
void symbols_use_limits(struct symbols *syms, struct memory *memory,
			const struct progress *progress);
typedef int (*symbols_visit)(struct module *m, void *user);
/*
 * Calls `visit` for each module that was asked for symbols, in no order. Ends with the first result
 * that is not 0. No thread may resolve meanwhile.
 */
int symbols_each_asked(const struct symbols *syms, symbols_visit visit, void *user);
/*
 * 0; or -errno if the file of --kallsyms or --vmlinux could not be used, which the first lookup of a
 * kernel symbol finds out.
 */
int symbols_check_kernel(const struct symbols *syms, struct ts_error *err);
/*
 * Keeps a reason (errno) why names, lines or callers are missing in what is shown, unless it speaks of
 * the files (symbol_fault_note()). Any thread.
 */
void symbols_note_fault(struct symbols *syms, int code);
/*
 * 0; or -errno if such a reason was met: memory or descriptors ran out, a file could not be read, or
 * --mem-limit had no room (-MEMORY_REFUSED).
 * No thread may resolve meanwhile.
 */
int symbols_check(const struct symbols *syms, struct ts_error *err);
/* The number of questions to debuginfod servers; zeros if none are asked. */
struct debug_server_count symbols_server_count(const struct symbols *syms);

/*
 * May symbols be those of a single process, so that equal addresses of equal maps have other names
 * in another process? It is so if any process has mapped memory without a file: a JIT compiler may
 * have put code there, with a perf-PID.map of its own.
 */
bool symbols_may_be_of_one_process(const struct tasks *tasks);
#define SYMBOLS_FILE_MAX 64
/*
 * The file in which perf looks for the symbols of a map that process `pid` has under the name
 * `path`. If the map holds code and no file is behind it, this is a file of the process, in buf.
 * Else it is `path`.
 */
const char *symbols_file_of(const char *path, const struct task_map *map, uint32_t pid,
			    char buf[SYMBOLS_FILE_MAX]);

/*
 * Resolves an address of process `pid` at `time_ns`. cpumode is PERF_RECORD_MISC_{KERNEL,USER,...},
 * from the sample's misc or from the context marker before it in a callchain. Never fails: unknown
 * fields stay NULL.
 */
void symbols_resolve(struct symbols *syms, uint32_t pid, uint16_t cpumode, uint64_t addr,
		     uint64_t time_ns, struct location *ret);

/* The module of kernel addresses; NULL: none. */
const struct module *symbols_kernel(const struct symbols *syms);

/*
 * Was the module asked for symbols, and could they not be read? False for one that has no symbol at
 * an address. `name` is that of a location.
 */
bool symbols_are_unreadable(const struct module_name *name);

/* The recorded build-id of the module of a location; false: none is known. */
bool symbols_build_id(const struct module_name *name, struct ts_build_id *ret);

struct srcline_place;
/*
 * Source lines and inlined functions of a resolved address, valid until symbols_free(); NULL:
 * unknown.
 */
const struct srcline_place *symbols_lines(const struct location *at);
/*
 * Does a resolved address have a function, and are the symbols of its module those of a .symtab, of
 * the object or of its debug file? A .dynsym has exported functions alone.
 */
bool symbols_are_of_symtab(const struct location *at);
struct line_names;
struct line_names *symbols_line_names(struct symbols *syms); /* as long as they */
struct inlined;
struct inlined *symbols_inlined(struct symbols *syms); /* as long as they */

/* A run of addresses of a process, and the module that they all lie in. */
struct code_span {
	uint64_t start, end;   /* addresses [start, end) */
	struct module *module; /* NULL: nothing is mapped there */
	uint64_t shift;	       /* added to an address: the address inside the module */
	bool is_shared;	       /* all processes that map the module find the same symbols in it */
};
/* The run around an address. It is valid as long as the process has the same maps. */
void symbols_code_at(struct symbols *syms, uint32_t pid, uint64_t addr, uint64_t time_ns,
		     struct code_span *ret);

struct symbols_object {
	int fd;	       /* of the ELF file, the caller's */
	uint64_t bias; /* add it to its addresses to get those where it is mapped */
};
/* The object that contains an address of a process; false: it cannot be read. */
bool symbols_open_object(struct symbols *syms, uint32_t pid, uint64_t addr, uint64_t time_ns,
			 struct symbols_object *ret);

#endif
