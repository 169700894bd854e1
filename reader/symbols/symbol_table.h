/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbols of one module: filled in any order, then sorted, deduplicated and closed up, then
 * searched.
 *
 * Where several symbols start at the same address one is kept: with a size before without, typed
 * before untyped, strong before weak, global before local, fewer leading underscores, the longer
 * name; among equals the first. A symbol without size reaches to the next one. Both rules are
 * perf's (tools/perf/util/symbol.c), so that names agree.
 *
 * Threads: filled by one thread; symbol_table_find() may be called by any number of threads
 * afterwards (names are demangled at the first use, under a lock of the table).
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_TABLE_H
#define TS_READER_SYMBOLS_SYMBOL_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/stop.h"
#include "reader/symbols/symbol.h"

struct symbol_entry {
	struct symbol sym;     /* its name is NULL until it is needed; in a slab, too */
	char *raw_name;	       /* as in the file; in a slab of the table */
	uint64_t limit;	       /* a symbol of unknown size ends here at the latest */
	uint32_t order;	       /* as added: the first of equals stays first */
	uint8_t binding, type; /* STB_*, STT_* */
	/* sym.name is final; release by the thread that set it, acquire in find */
	_Atomic bool is_named;
};

struct symbol_slab {
	struct symbol_slab *next;
	size_t used, size;
	char data[];
};

struct symbol_table {
	struct symbol_entry *items; /* sorted by start after symbol_table_finish() */
	uint64_t *reach;	    /* reach[i]: highest end among items[0..i] */
	size_t nr, cap;
	uint64_t kernel_end; /* kallsyms: where the kernel's own symbols end, modules come behind */
	struct symbol_slab *slabs;
	size_t demangled_bytes; /* of them are demangled names */
	bool failed;		/* out of memory, or stopped; sticky */
	const struct ts_stop
		*stop; /* who fills it: raised, symbol_table_finish() gives up; NULL: it does not */
	pthread_mutex_t lock; /* of naming */
};

void symbol_table_init(struct symbol_table *t);
void symbol_table_release(struct symbol_table *t);
/* Empties it: it is as after symbol_table_init(). */
void symbol_table_clear(struct symbol_table *t);

/*
 * Copies `name` (len bytes). size 0: up to the next symbol, but not beyond `limit` (the end of the
 * section; else UINT64_MAX).
 */
void symbol_table_add(struct symbol_table *t, uint64_t start, uint64_t size, uint64_t limit,
		      uint8_t binding, uint8_t type, const char *name, size_t len);
/* Memory that lives as long as the table; NULL: out of memory. */
char *symbol_table_room(struct symbol_table *t, size_t bytes);
/* As symbol_table_add(), of a name that ends in NUL and stands in the table's own memory. */
void symbol_table_add_placed(struct symbol_table *t, uint64_t start, uint64_t size, uint64_t limit,
			     uint8_t binding, uint8_t type, char *name);
/* Sorts what was added, drops aliases, ends symbols of unknown size. `is_kallsyms`: names may end
 * in "\t[module]", cut off here. Where it failed nothing can be looked up. */
void symbol_table_finish(struct symbol_table *t, bool is_kallsyms);
/* Adds `other`'s symbols (finished; emptied) to a finished table, without touching either's ends:
 * PLT entries. */
void symbol_table_merge(struct symbol_table *t, struct symbol_table *other);

/* Moves everything into a table that is empty, which `from` is then. */
void symbol_table_move(struct symbol_table *to, struct symbol_table *from);

/* The innermost symbol with start <= addr < end, or start == addr; NULL if none. */
const struct symbol *symbol_table_find(struct symbol_table *t, uint64_t addr);

#endif
