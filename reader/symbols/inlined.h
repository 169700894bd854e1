/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inlined functions as symbols: one symbol for each name within each function that has a symbol.
 *
 * Threads: any number of threads may ask at once.
 */
#ifndef TS_READER_SYMBOLS_INLINED_H
#define TS_READER_SYMBOLS_INLINED_H

#include <pthread.h>
#include <stdbool.h>

#include "reader/runtime/name_table.h"
#include "reader/symbols/symbol.h"

struct inlined {
	pthread_mutex_t lock;
	struct name_table texts; /* names of the symbols */
	void *tree;		 /* of tsearch(3): the symbols */
	bool lacks_memory;	 /* a symbol is missing */
};

void inlined_init(struct inlined *in);
void inlined_release(struct inlined *in);

/*
 * The symbol of `function`, mangled or not, where it was inlined into the code of `around`. It has
 * the addresses of `around` and is called "name (inlined)"; equal names are one pointer. It lives
 * as long as *in. The same two arguments give the same symbol. They are compared by their
 * addresses, so both must live as long, too. NULL: out of memory.
 */
const struct symbol *inlined_find(struct inlined *in, const struct symbol *around,
				  const char *function);

#endif
