// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_rows.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "reader/runtime/workers.h"

/*
 * A block of rows ends at the first of these limits; the heaviest rows come first and have a block
 * each.
 */
#define BLOCK_ROWS    128
#define BLOCK_REFS    (16u << 10)  /* places in callchains, from which call graphs grow */
#define BLOCKS_A_TURN 16	   /* blocks per worker in a turn */
#define KEPT_BYTES    (256u << 10) /* of a block's text that is kept for the next turn */

struct row_block {
	size_t first_row, nr; /* within the event */
	struct ts_bytes text;
};

struct printing { /* constant while workers run, except the blocks: each belongs to one worker */
	const struct table *table;
	report_row_fn put_row;
	const void *arg;
	uint32_t event;
	size_t next_row; /* behind this turn, within the event */
	struct row_block *blocks;
	size_t nr_blocks;
	_Atomic size_t next_block; /* relaxed: only hands out numbers */
	_Atomic bool failed;
};

static const struct table_row *row_at(const struct printing *p, size_t row)
{
	return &p->table->order[p->table->events[p->event].first + row];
}

static int put_block(const struct printing *p, struct callgraph *g, struct row_block *b)
{
	int rc = 0;

	ts_bytes_clear(&b->text);
	for (size_t i = b->first_row; !rc && i < b->first_row + b->nr; i++)
		rc = p->put_row(p->arg, g, row_at(p, i), i, &b->text);
	return rc || ts_bytes_failed(&b->text) ? -ENOMEM : 0;
}

static void run_printing(void *arg, unsigned int worker)
{
	struct printing *p = arg;
	struct callgraph g;
	size_t block;

	(void)worker;
	callgraph_init(&g, p->table);
	while ((block = atomic_fetch_add_explicit(&p->next_block, 1, memory_order_relaxed)) <
	       p->nr_blocks)
		if (put_block(p, &g, &p->blocks[block]))
			p->failed = true;
	callgraph_release(&g);
}

/* Takes rows for one more block from the remaining ones. */
static void cut_block(struct printing *p, struct row_block *b)
{
	size_t nr_rows = p->table->events[p->event].nr;
	uint64_t refs = 0;

	b->first_row = p->next_row;
	while (p->next_row < nr_rows && p->next_row - b->first_row < BLOCK_ROWS &&
	       refs < BLOCK_REFS)
		refs += row_at(p, p->next_row++)->entry->nr_refs;
	b->nr = p->next_row - b->first_row;
}

static int print_turn(struct printing *p, unsigned int nr_workers, report_sink_fn sink,
		      void *sink_arg)
{
	size_t nr_rows = p->table->events[p->event].nr;
	size_t most = BLOCKS_A_TURN * (size_t)nr_workers;
	int rc = 0;

	for (p->nr_blocks = 0; p->nr_blocks < most && p->next_row < nr_rows; p->nr_blocks++)
		cut_block(p, &p->blocks[p->nr_blocks]);
	p->next_block = 0;
	workers_run(p->nr_blocks < nr_workers ? (unsigned int)p->nr_blocks : nr_workers,
		    run_printing, p);
	if (p->failed)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_blocks; i++) {
		rc = rc ? rc : sink(sink_arg, &p->blocks[i].text);
		if (p->blocks[i].text.cap > KEPT_BYTES)
			ts_bytes_release(&p->blocks[i].text);
	}
	return rc;
}

int print_rows(const struct table *t, uint32_t event, report_row_fn put_row, const void *arg,
	       report_sink_fn sink, void *sink_arg)
{
	unsigned int nr_workers = t->plan.nr_workers;
	size_t nr_blocks = BLOCKS_A_TURN * (size_t)nr_workers;
	struct printing p = {.table = t, .put_row = put_row, .arg = arg, .event = event};
	int rc = 0;

	p.blocks = calloc(nr_blocks, sizeof(*p.blocks));
	if (!p.blocks)
		return -ENOMEM;
	for (size_t i = 0; i < nr_blocks; i++)
		memory_hold(t->aggregate->memory, &p.blocks[i].text);
	while (!rc && p.next_row < t->events[event].nr)
		rc = print_turn(&p, nr_workers, sink, sink_arg);
	for (size_t i = 0; i < nr_blocks; i++)
		ts_bytes_release(&p.blocks[i].text);
	free(p.blocks);
	return rc;
}
