// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/sample_log.h"

#include <errno.h>

#include "common/base/min_max.h"

#define MOST_BATCH                                                                                 \
	(16u << 10) /* samples in a batch: half a megabyte, which is in the cache of a CPU */
#define MOST_IN_MEMORY (32u << 10) /* samples in a block: 1 MiB */
#define MOST_IN_FILE   (2u << 20)  /* 64 MiB */

void sample_log_init(struct sample_log *l, struct memory *memory, size_t most_bytes)
{
	*l = (struct sample_log){.memory = memory, .most_batch = SAMPLE_LOG_FIRST};
	while (l->most_batch < MOST_BATCH &&
	       4 * (size_t)l->most_batch * SAMPLE_BATCH_BYTES <= most_bytes)
		l->most_batch *= 2;
	most_bytes -= ts_min(most_bytes, (size_t)l->most_batch * SAMPLE_BATCH_BYTES);
	l->most_private = most_bytes / sizeof(struct logged_sample);
}

void sample_log_release(struct sample_log *l)
{
	for (size_t i = 0; i < l->nr_blocks; i++)
		memory_free(l->blocks[i].items);
	memory_free(l->blocks);
	memory_free(l->runs);
	memory_free(l->places);
	sample_batch_release(&l->batch);
	*l = (struct sample_log){0};
}

/* --- blocks --- */

static int make_room(struct sample_log *l)
{
	const size_t cap = l->cap_blocks ? 2 * l->cap_blocks : 16;
	struct sample_log_block *grown;

	if (l->nr_blocks < l->cap_blocks)
		return 0;
	grown = memory_resize(l->memory, l->blocks, cap, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	l->blocks = grown;
	l->cap_blocks = cap;
	return 0;
}

/* Adds a block for at least nr samples. */
static int add_block(struct sample_log *l, size_t nr)
{
	struct sample_log_block block = {.cap = SAMPLE_LOG_FIRST};
	bool is_private;

	if (make_room(l))
		return -ENOMEM;
	if (l->nr_blocks)
		block.cap = 2 * l->blocks[l->nr_blocks - 1].cap;
	is_private = !l->nr_blocks ||
		     l->nr + ts_min(block.cap, (size_t)MOST_IN_MEMORY) <= l->most_private;
	block.cap = ts_min(block.cap, (size_t)(is_private ? MOST_IN_MEMORY : MOST_IN_FILE));
	block.cap = ts_max(block.cap, nr);
	block.items = (is_private ? memory_new : memory_new_file)(l->memory, block.cap,
								  sizeof(*block.items));
	if (!block.items)
		return -ENOMEM;
	l->blocks[l->nr_blocks++] = block;
	return 0;
}

static bool has_room(const struct sample_log *l, size_t nr)
{
	const struct sample_log_block *last = l->nr_blocks ? &l->blocks[l->nr_blocks - 1] : NULL;

	return last && last->cap - last->nr >= nr;
}

/* --- runs --- */

static int make_runs(struct sample_log *l, size_t more)
{
	const size_t cap = ts_max(2 * l->cap_runs, l->nr_runs + more);
	struct sample_log_run *grown;

	if (l->cap_runs - l->nr_runs >= more)
		return 0;
	grown = memory_resize(l->memory, l->runs, cap, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	l->runs = grown;
	l->cap_runs = cap;
	return 0;
}

static int sort_batch(struct sample_log *l)
{
	struct sample_batch *b = &l->batch;
	struct sample_log_block *block;
	struct logged_sample *to;

	if ((!has_room(l, b->nr) && add_block(l, b->nr)) || make_runs(l, b->nr_groups))
		return -ENOMEM;
	block = &l->blocks[l->nr_blocks - 1];
	to = block->items + block->nr;
	sample_batch_sort(b, to);
	for (uint32_t i = 0; i < b->nr_groups; i++)
		l->runs[l->nr_runs++] =
			(struct sample_log_run){to + b->groups[i].first, b->groups[i].nr};
	block->nr += b->nr;
	l->nr += b->nr;
	sample_batch_clear(b);
	return 0;
}

/* The first batches are small, because many logs remain so. */
static int make_batch(struct sample_log *l)
{
	const uint32_t cap = l->batch.cap ? 4 * l->batch.cap : SAMPLE_LOG_FIRST;

	if (l->batch.nr && sort_batch(l))
		return -ENOMEM;
	if (l->batch.cap == l->most_batch)
		return 0;
	sample_batch_release(&l->batch);
	if (!sample_batch_init(&l->batch, l->memory, ts_min(cap, l->most_batch)))
		return 0;
	sample_batch_release(&l->batch); /* whoever adds another sample tries again */
	return -ENOMEM;
}

int sample_log_add(struct sample_log *l, const struct ts_sample *sample, uint32_t stack)
{
	const struct logged_sample logged = {
		.time_ns = sample->sid.time_ns,
		.period = sample->period,
		.pid = sample->sid.pid,
		.tid = sample->sid.tid,
		.stack = stack,
		.cpu = sample->sid.cpu < SAMPLE_LOG_NO_CPU ? (uint16_t)sample->sid.cpu
							   : SAMPLE_LOG_NO_CPU,
	};

	if (sample_batch_is_full(&l->batch) && make_batch(l))
		return -ENOMEM;
	sample_batch_add(&l->batch, &logged, sample->sid.event);
	return 0;
}

int sample_log_finish(struct sample_log *l)
{
	const int rc = l->batch.nr ? sort_batch(l) : 0;

	sample_batch_release(&l->batch);
	return rc;
}

/* --- places --- */

void sample_log_take_places(struct sample_log *l, struct stack_place *places, size_t nr)
{
	l->places = places;
	l->nr_places = nr;
}

/* Until now they were those of part 0, by number. */
static int make_places(struct sample_log *l, size_t nr)
{
	l->places = memory_new(l->memory, nr + 1, sizeof(*l->places));
	if (!l->places)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		l->places[i].stack = (uint32_t)i;
	l->nr_places = nr;
	return 0;
}

int sample_log_move(struct sample_log *l, const struct stack_place *places, const uint64_t *first)
{
	if (!l->places && make_places(l, first[1] - first[0]))
		return -ENOMEM;
	for (size_t i = 0; i < l->nr_places; i++)
		l->places[i] = places[first[l->places[i].part] + l->places[i].stack];
	return 0;
}
