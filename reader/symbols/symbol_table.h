/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbols of one module. They are added in any order. symbol_table_finish() sorts them, drops
 * aliases and ends symbols of unknown size. Then they are searched.
 *
 * If several symbols start at the same address, one is kept. The order of preference: with a size
 * before without, typed before untyped, strong before weak, global before local, fewer leading
 * underscores, the longer name; among equals the first. A symbol without size reaches to the next
 * one. Both rules are perf's (tools/perf/util/symbol.c), so names agree. In a table of code that a
 * JIT compiler made, the symbol that was added last has its addresses instead.
 *
 * Threads: one thread fills it. Afterwards any number of threads may call symbol_table_find():
 * names are demangled at the first use, under a lock of the table.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_TABLE_H
#define TS_READER_SYMBOLS_SYMBOL_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/stop.h"
#include "reader/symbols/symbol.h"
#include "reader/symbols/symbol_limits.h"
#include "reader/symbols/symbol_pieces.h"

struct symbol_entry {
	struct symbol sym;     /* its name is NULL until it is needed; in a slab, too */
	char *raw_name;	       /* as in the file; in a slab of the table */
	uint64_t limit;	       /* a symbol of unknown size ends here at the latest */
	uint32_t order;	       /* order of addition: the first of equals stays first */
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
	struct symbol_pieces pieces; /* symbols that lie over each other; then `reach` is NULL */
	uint64_t kernel_end; /* kallsyms: where the kernel's own symbols end, modules come behind */
	struct symbol_slab *slabs;
	size_t demangled_bytes;	      /* bytes of demangled names in them */
	const char *suffix;	      /* behind each name; NULL: nothing */
	bool is_symtab;		      /* from a .symtab, so it has local functions, too */
	bool failed;		      /* no memory, refused, or stopped; sticky */
	bool is_refused;	      /* the limits had no room */
	bool lacks_memory;	      /* a name is not as it would be; under the lock */
	struct symbol_limits *limits; /* of the memory of this and other tables; or NULL */
	size_t taken_bytes;	      /* of theirs */
	const struct ts_stop *stop;   /* if raised, symbol_table_finish() gives up; or NULL */
	pthread_mutex_t lock;	      /* of naming */
};

void symbol_table_init(struct symbol_table *t);
void symbol_table_release(struct symbol_table *t);
/* Empties the table: it is as after symbol_table_init(). */
void symbol_table_clear(struct symbol_table *t);

/*
 * Adds a symbol with a copy of `name` (len bytes). size 0: up to the next symbol, but not beyond
 * `limit` (the end of the section; else UINT64_MAX).
 */
void symbol_table_add(struct symbol_table *t, uint64_t start, uint64_t size, uint64_t limit,
		      uint8_t binding, uint8_t type, const char *name, size_t len);
/* Memory that lives as long as the table; NULL: out of memory. */
char *symbol_table_room(struct symbol_table *t, size_t bytes);
/* As symbol_table_add(), for a name that ends in NUL and lies in memory of the table. */
void symbol_table_add_placed(struct symbol_table *t, uint64_t start, uint64_t size, uint64_t limit,
			     uint8_t binding, uint8_t type, char *name);
/*
 * Sorts the symbols, drops aliases, ends symbols of unknown size. `is_kallsyms`: names may end in
 * "\t[module]", which is cut off. If it failed, no lookup is possible.
 */
void symbol_table_finish(struct symbol_table *t, bool is_kallsyms);
/*
 * The same for code that a JIT compiler made, of less than 2^32 symbols. No alias is dropped: the
 * symbol that was added last has all of its addresses.
 */
void symbol_table_finish_made(struct symbol_table *t);
/*
 * Adds the symbols of `other` (finished; emptied) to a finished table, without changing their ends:
 * for PLT entries. Both have the same limits.
 */
void symbol_table_merge(struct symbol_table *t, struct symbol_table *other);

/* Moves all symbols and their limits into an empty table; `from` is empty afterwards. */
void symbol_table_move(struct symbol_table *to, struct symbol_table *from);

/* Why it failed unless it was stopped, or why it lacks names: MEMORY_REFUSED (refused) or ENOMEM. */
int symbol_table_lack(const struct symbol_table *t);

/* The innermost symbol with start <= addr < end, or start == addr; NULL: none. */
const struct symbol *symbol_table_find(struct symbol_table *t, uint64_t addr);
/* Does a symbol start in [start, end)? */
bool symbol_table_has_in(const struct symbol_table *t, uint64_t start, uint64_t end);

#endif
