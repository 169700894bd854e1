// SPDX-License-Identifier: Apache-2.0
/*
 * A sweep over the addresses. A heap has the symbols that began before, the last one that was added
 * on top. One that has ended is taken off when it comes to the top. n symbols have at most 2 n
 * pieces, and take n log n steps.
 */
#include "reader/symbols/symbol_pieces.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/symbols/symbol_table.h"

#define STEPS_AT_ONCE 65536 /* between two looks at the stop flag */

struct sweep {
	const struct symbol_entry *symbols;
	uint32_t nr, next; /* symbols[next..nr) begin later */
	uint32_t *heap;
	uint32_t nr_heap;
};

static bool is_over(const struct sweep *s, uint32_t a, uint32_t b)
{
	return s->symbols[s->heap[a]].order > s->symbols[s->heap[b]].order;
}

static void swap(struct sweep *s, uint32_t a, uint32_t b)
{
	const uint32_t symbol = s->heap[a];

	s->heap[a] = s->heap[b];
	s->heap[b] = symbol;
}

static void put_next(struct sweep *s)
{
	uint32_t at = s->nr_heap++;

	s->heap[at] = s->next++;
	for (; at && is_over(s, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(s, at, (at - 1) / 2);
}

static void take_top(struct sweep *s)
{
	uint32_t at = 0, child;

	s->heap[0] = s->heap[--s->nr_heap];
	while ((child = 2 * at + 1) < s->nr_heap) {
		if (child + 1 < s->nr_heap && is_over(s, child + 1, child))
			child++;
		if (!is_over(s, child, at))
			return;
		swap(s, child, at);
		at = child;
	}
}

/* Returns the symbol on top at an address, and in *ret_until where that may change. */
static uint32_t look_at(struct sweep *s, uint64_t addr, uint64_t *ret_until)
{
	while (s->next < s->nr && s->symbols[s->next].sym.start <= addr)
		put_next(s);
	while (s->nr_heap && s->symbols[s->heap[0]].sym.end <= addr)
		take_top(s);
	*ret_until = s->next < s->nr ? s->symbols[s->next].sym.start : UINT64_MAX;
	if (!s->nr_heap)
		return SYMBOL_PIECE_NONE;
	*ret_until = ts_min(*ret_until, s->symbols[s->heap[0]].sym.end);
	return s->heap[0];
}

static void add_piece(struct symbol_pieces *p, uint64_t start, uint32_t symbol)
{
	if (!p->nr || p->items[p->nr - 1].symbol != symbol)
		p->items[p->nr++] = (struct symbol_piece){start, symbol};
}

static int lay_all(struct symbol_pieces *p, struct sweep *s, const struct ts_stop *stop)
{
	uint64_t addr = s->symbols[0].sym.start, until;
	uint32_t top;

	for (size_t i = 0; addr != UINT64_MAX; i++, addr = until) {
		if (i % STEPS_AT_ONCE == 0 && stop && ts_stop_is_raised(stop))
			return -EINTR;
		top = look_at(s, addr, &until);
		add_piece(p, addr, top);
	}
	return 0;
}

int symbol_pieces_lay(struct symbol_pieces *p, const struct symbol_entry *symbols, uint32_t nr,
		      const struct ts_stop *stop)
{
	struct sweep s = {.symbols = symbols, .nr = nr};
	int rc = -ENOMEM;

	if (!nr)
		return 0;
	s.heap = calloc(nr, sizeof(*s.heap));
	p->items = calloc(2 * (size_t)nr, sizeof(*p->items));
	if (s.heap && p->items)
		rc = lay_all(p, &s, stop);
	free(s.heap);
	return rc;
}

void symbol_pieces_release(struct symbol_pieces *p)
{
	free(p->items);
	*p = (struct symbol_pieces){0};
}

uint32_t symbol_pieces_find(const struct symbol_pieces *p, uint64_t addr)
{
	size_t low = 0, high = p->nr;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (p->items[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? p->items[low - 1].symbol : SYMBOL_PIECE_NONE;
}
