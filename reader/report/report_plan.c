// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_plan.h"

#include <fcntl.h>
#include <string.h>

#include "common/base/text_file.h"

#define CHAIN_DEFAULT 127 /* kernel.perf_event_max_stack */

bool report_wants_children(const struct report_options *o)
{
	return !o->no_children && !o->hierarchy;
}

static uint32_t longest_chain(void)
{
	uint64_t max;

	if (ts_text_file_read_u64(&max, AT_FDCWD, "/proc/sys/kernel/perf_event_max_stack") ||
	    max > UINT32_MAX)
		return CHAIN_DEFAULT;
	return (uint32_t)max;
}

void report_plan_table(const struct report_way *r, bool chains, struct table_plan *ret)
{
	const struct report_options *o = r->options;

	*ret = (struct table_plan){
		.nr_workers = r->nr_workers,
		/*
		 * The shares in a fractal graph are those of its row, so small rows have graphs,
		 * too.
		 */
		.min_share = o->callgraph.type == CALLGRAPH_FRACTAL ? 0 : o->callgraph.min_share,
		.nr_keys = r->keys->nr,
		.is_relative = o->is_relative,
		.is_nested = o->hierarchy,
		.sort_member = o->sort_member,
		.children = chains && report_wants_children(o),
		.with_chains = chains && o->callgraph.type != CALLGRAPH_OFF,
		.parent = r->parent,
		.only_parents = o->only_parents,
		.caller_first = o->callgraph.order == CALLGRAPH_CALLER ||
				(o->callgraph.order == CALLGRAPH_ORDER_DEFAULT && !o->no_children),
	};
	for (size_t i = 0; i < r->keys->nr; i++)
		ret->keys[i] = r->keys->keys[i];
	memcpy(ret->levels, r->keys->levels, sizeof(ret->levels));
	ret->nr_order = r->keys->is_plain ? 0 : r->keys->nr_order;
	memcpy(ret->order, r->keys->order, sizeof(ret->order));
}

static uint32_t most_unwound(const struct report_way *r)
{
	return r->options->max_stack != REPORT_STACK_KERNEL ? r->options->max_stack
							    : longest_chain();
}

/*
 * As in perf, the kernel's part of a chain and the unwound part may each have the allowed length. In pictures and
 * exports recorded chains are whole: cut behind the roots they would lose the sampled function.
 */
static uint32_t most_frames(const struct report_way *r)
{
	const struct report_options *o = r->options;

	if (o->max_stack == REPORT_STACK_KERNEL && (o->has_whole_stacks || report_options_draw(o)))
		return UINT32_MAX;
	return most_unwound(r) * (r->unwind == UNWIND_NOT ? 1 : 2);
}

/* A picture has the callers of each sample and its command, and tells functions apart by their names. */
static void plan_picture(struct aggregate_plan *plan)
{
	plan->with_chains = plan->by_comm = plan->keep_roots = true;
	plan->by_tid = plan->by_address = plan->is_one_event = false;
	plan->lines = LINE_NONE;
	plan->tags = NULL;
}

void report_plan_aggregate(const struct report_way *r, const struct table_plan *table,
			   struct aggregate_plan *ret)
{
	*ret = (struct aggregate_plan){
		.with_chains = table->children || table->with_chains || table->parent ||
			       r->options->ignored,
		.ignored = r->options->ignored ? &r->options->ignored_regex : NULL,
		.keep_roots = table->caller_first,
		.max_frames = most_frames(r),
		.unwind = r->options->unwind,
		.max_unwound = most_unwound(r),
		.by_address = r->options->callgraph.by_address,
		.lines = sort_keys_has(r->keys, TABLE_SRCLINE)	 ? LINE_SOURCE
			 : sort_keys_has(r->keys, TABLE_SRCFILE) ? LINE_FILE
								 : LINE_NONE,
		.with_inlined = r->options->with_inlined,
		.log_bytes = r->options->with_times ? SAMPLE_LOG_BYTES / r->options->nr_inputs : 0,
		.nr_workers = r->nr_workers,
		.by_comm = sort_keys_has(r->keys, TABLE_COMM),
		.by_tid = sort_keys_has(r->keys, TABLE_PID) || sort_keys_has(r->keys, TABLE_TID),
		.is_one_event = sort_keys_has_tag(r->keys, SAMPLE_TAG_EVENT),
		.tags = r->keys->tags.nr ? &r->keys->tags : NULL,
		.capture_facts = r->capture_facts,
	};
	if (report_options_draw(r->options))
		plan_picture(ret);
}

void report_plan_columns(const struct report_way *r, bool children, struct report_columns *ret)
{
	const struct report_options *o = r->options;

	*ret = (struct report_columns){
		.nr = r->keys->nr_columns,
		.has_self = children && (!o->fields || *o->fields == '+'),
		.separator = o->separator,
		.nr_widths = o->nr_widths,
	};
	memcpy(ret->items, r->keys->columns, r->keys->nr_columns * sizeof(*ret->items));
	memcpy(ret->widths, o->widths, sizeof(ret->widths));
}

/* The selected words of a column; NULL: it cannot be selected by words. */
static const struct selection_words *words_of(const struct selection *s, enum table_key key)
{
	return key == TABLE_COMM  ? &s->text.comm_names
	       : key == TABLE_DSO ? &s->text.dso_names
	       : key == TABLE_SYM ? &s->text.symbol_names
				  : NULL;
}

void report_hide_columns(const struct selection *s, const struct table_plan *plan,
			 bool is_hidden[TABLE_NR_KEYS])
{
	size_t nr_hidden = 0;

	for (size_t i = 0; i < plan->nr_keys; i++) {
		const struct selection_words *w = words_of(s, plan->keys[i]);

		is_hidden[plan->keys[i]] = w && w->nr == 1;
		nr_hidden += is_hidden[plan->keys[i]];
	}
	for (size_t i = 0; nr_hidden == plan->nr_keys && i < plan->nr_keys; i++)
		is_hidden[plan->keys[i]] = false;
}
