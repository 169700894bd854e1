/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols that lie over each other, each over those that were added before: the function that a JIT
 * compiler told of last is at an address. From each piece to the next, the same symbol is on top.
 *
 *	added first    [------------ a ------------)
 *	then                 [--- b ---)       [--- c ---)
 *	pieces         [ a  )[--- b ---)[ a   )[--- c ---)
 *
 * Threads: one thread lays them. Afterwards any number of threads may search.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_PIECES_H
#define TS_READER_SYMBOLS_SYMBOL_PIECES_H

#include <stddef.h>
#include <stdint.h>

#define SYMBOL_PIECE_NONE UINT32_MAX /* no symbol is there */

struct ts_stop;
struct symbol_entry;

struct symbol_piece { /* up to the next one */
	uint64_t start;
	uint32_t symbol; /* index, or SYMBOL_PIECE_NONE */
};

struct symbol_pieces {
	struct symbol_piece *items; /* sorted; NULL: none */
	size_t nr;
};

/*
 * Lays `nr` symbols that are sorted by start; by `order` one was added after another. `stop` (or
 * NULL) ends it. 0, -ENOMEM, or -EINTR if it was stopped.
 */
int symbol_pieces_lay(struct symbol_pieces *p, const struct symbol_entry *symbols, uint32_t nr,
		      const struct ts_stop *stop);
void symbol_pieces_release(struct symbol_pieces *p); /* accepts a zeroed one; idempotent */
/* The index of the symbol on top at an address, or SYMBOL_PIECE_NONE. */
uint32_t symbol_pieces_find(const struct symbol_pieces *p, uint64_t addr);

#endif
