// SPDX-License-Identifier: Apache-2.0
#include "reader/print_rows.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "reader/workers.h"

#define BLOCK_ROWS    128
#define BLOCKS_A_TURN 16	   /* a worker */
#define KEPT_BYTES    (256u << 10) /* of a block's text, for the next turn */

struct printing { /* constant while workers run, but for the blocks, each one worker's */
	const struct table *table;
	report_row_fn put_row;
	const void *arg;
	uint32_t event;
	size_t first_row; /* of this turn, within the event */
	struct ts_bytes *blocks;
	size_t nr_blocks;
	_Atomic size_t next_block; /* relaxed: only hands out numbers */
	_Atomic bool failed;
};

static int put_block(const struct printing *p, struct callgraph *g, size_t block,
		     struct ts_bytes *out)
{
	const struct table_event *event = &p->table->events[p->event];
	size_t from = p->first_row + block * BLOCK_ROWS;
	int rc = 0;

	ts_bytes_clear(out);
	for (size_t i = from; !rc && i < from + BLOCK_ROWS && i < event->nr; i++)
		rc = p->put_row(p->arg, g, &p->table->order[event->first + i], i, out);
	return rc || ts_bytes_failed(out) ? -ENOMEM : 0;
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
		if (put_block(p, &g, block, &p->blocks[block]))
			p->failed = true;
	callgraph_release(&g);
}

static int print_turn(struct printing *p, unsigned int nr_workers, report_sink_fn sink,
		      void *sink_arg)
{
	size_t nr = p->table->events[p->event].nr - p->first_row;
	size_t nr_blocks = (nr + BLOCK_ROWS - 1) / BLOCK_ROWS;
	int rc = 0;

	p->nr_blocks = BLOCKS_A_TURN * (size_t)nr_workers;
	if (nr_blocks < p->nr_blocks)
		p->nr_blocks = nr_blocks;
	p->next_block = 0;
	workers_run(p->nr_blocks < nr_workers ? (unsigned int)p->nr_blocks : nr_workers,
		    run_printing, p);
	if (p->failed)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_blocks; i++) {
		rc = rc ? rc : sink(sink_arg, &p->blocks[i]);
		if (p->blocks[i].cap > KEPT_BYTES)
			ts_bytes_release(&p->blocks[i]);
	}
	p->first_row += p->nr_blocks * BLOCK_ROWS;
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
		spill_hold(t->aggregate->spill, &p.blocks[i]);
	while (!rc && p.first_row < t->events[event].nr)
		rc = print_turn(&p, nr_workers, sink, sink_arg);
	for (size_t i = 0; i < nr_blocks; i++)
		ts_bytes_release(&p.blocks[i]);
	free(p.blocks);
	return rc;
}
