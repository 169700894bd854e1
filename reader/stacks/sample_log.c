// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/sample_log.h"

#include <errno.h>

#include "common/base/min_max.h"
#include "reader/runtime/memory_limit.h"

#define MOST_IN_MEMORY (32u << 10) /* samples in a block: 1 MiB */
#define MOST_IN_FILE   (2u << 20)  /* 64 MiB */

void sample_log_init(struct sample_log *l, struct memory *memory, size_t most_bytes)
{
	*l = (struct sample_log){.memory = memory,
				 .most_private = most_bytes / sizeof(struct logged_sample)};
}

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

static int add_block(struct sample_log *l)
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
	block.items = (is_private ? memory_new : memory_new_file)(l->memory, block.cap,
								  sizeof(*block.items));
	if (!block.items)
		return -ENOMEM;
	l->blocks[l->nr_blocks++] = block;
	return 0;
}

static bool is_full(const struct sample_log *l)
{
	return !l->nr_blocks || l->blocks[l->nr_blocks - 1].nr == l->blocks[l->nr_blocks - 1].cap;
}

int sample_log_add(struct sample_log *l, const struct ts_sample *sample, uint32_t stack)
{
	struct sample_log_block *block;

	if (is_full(l) && add_block(l))
		return -ENOMEM;
	block = &l->blocks[l->nr_blocks - 1];
	block->items[block->nr++] = (struct logged_sample){
		.time_ns = sample->sid.time_ns,
		.period = sample->period,
		.pid = sample->sid.pid,
		.tid = sample->sid.tid,
		.stack = stack,
		.cpu = sample->sid.cpu < SAMPLE_LOG_NO_CPU ? (uint16_t)sample->sid.cpu
							   : SAMPLE_LOG_NO_CPU,
	};
	l->nr++;
	return 0;
}

void sample_log_move(struct sample_log *l, const struct stack_place *places, const uint64_t *first)
{
	for (size_t k = 0; k < l->nr_blocks; k++) {
		for (size_t i = 0; i < l->blocks[k].nr; i++) {
			struct logged_sample *s = &l->blocks[k].items[i];
			const struct stack_place *place = &places[first[s->part] + s->stack];

			s->stack = place->stack;
			s->part = place->part;
		}
		memory_keep_narrow(l->memory);
	}
}

void sample_log_release(struct sample_log *l)
{
	for (size_t i = 0; i < l->nr_blocks; i++)
		memory_free(l->blocks[i].items);
	memory_free(l->blocks);
	*l = (struct sample_log){0};
}
