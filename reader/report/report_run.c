// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_run.h"

#include <errno.h>
#include <string.h>

#include "reader/chunks/select_chunks.h"
#include "reader/order/replay.h"
#include "reader/report/report_output.h"
#include "reader/report/report_plan.h"
#include "reader/rows/table_build.h"
#include "reader/runtime/memory_limit.h"

#define AHEAD_LEAST (64u << 20) /* least --mem-limit in bytes for reading symbols ahead */

/* --- what is known of it --- */

const struct ts_events *report_run_events(const struct report_run *r)
{
	return report_run_has_several(r) ? &r->join.events : &r->capture.header.events;
}

uint64_t report_run_nr_samples(const struct report_run *r)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < r->table.nr_events; i++)
		nr += r->table.events[i].nr_samples;
	return nr;
}

/* Does any event carry callchains? */
static bool has_callchains(const struct ts_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

int report_run_merge_damage(struct report_run *r)
{
	int rc;

	if (r->is_merged)
		return 0;
	r->is_merged = true;
	rc = damage_merge(&r->damage, &r->chunks.damage);
	if (!rc)
		rc = damage_merge(&r->damage, &r->aggregate.damage);
	damage_sort(&r->damage);
	return rc;
}

/* --- the steps --- */

static int open_chunks(struct report_run *r, struct ts_error *err)
{
	int rc = select_chunks(&r->chunks, &r->selection, &r->options->selection, &r->capture,
			       r->nr_workers, 0, err);

	return rc ? rc : report_output_check(r->capture.progress, r->capture.path, err);
}

static int open_tasks(struct report_run *r, struct ts_error *err)
{
	r->tasks = replay_sideband(&r->chunks, &r->damage, &r->warnings, err);
	return r->tasks ? memory_check(r->capture.memory, r->capture.path, r->nr_workers, err)
			: -err->code;
}

/* Only for the key: regcomp() of glibc 2.36 crashes if memory runs out in it. */
static int compile_parent(struct report_run *r, struct ts_error *err)
{
	const char *pattern = r->options->parent ? r->options->parent : PARENT_KEY_DEFAULT;
	int rc;

	if (r->has_parent || !sort_keys_has(&r->keys, TABLE_PARENT))
		return 0;
	rc = regcomp(&r->parent, pattern, REG_EXTENDED | REG_NOSUB);
	if (rc == REG_ESPACE)
		return ts_error_sys(err, ENOMEM, "cannot look for parents by '%s'", pattern);
	r->has_parent = !rc;
	r->is_misuse = rc;
	return rc ? ts_error_set(err, EINVAL,
				 "cannot look for parents by '%s': it is not an extended regular "
				 "expression",
				 pattern)
		  : 0;
}

int report_run_read_keys(struct report_run *r, struct ts_error *err)
{
	const struct report_options *o = r->options;
	const struct sort_plan plan = {
		.sort = o->sort,
		.fields = o->fields,
		.has_children = has_callchains(report_run_events(r)) && report_wants_children(o),
		.show_samples = o->show_samples,
		.show_period = o->show_period,
		.show_modes = o->show_modes,
		.has_parent = o->parent,
		.has_several = report_run_has_several(r),
	};
	int rc = sort_keys_read(&r->keys, &plan, &r->capture.header, err);

	r->is_misuse = rc == -EINVAL;
	r->keys.tags.quantum_ns = o->quantum_ns;
	if (!rc && o->only_parents && !sort_keys_has(&r->keys, TABLE_PARENT)) {
		r->is_misuse = true;
		ts_error_set(err, EINVAL,
			     "cannot leave out rows without a parent: no parent is defined");
		return ts_error_hint(err, "give --parent=REGEX or --sort parent with -x");
	}
	return rc ? rc : compile_parent(r, err);
}

int report_run_open_tags(struct report_run *r, struct ts_error *err)
{
	int rc = capture_facts_open(&r->capture_facts, &r->capture.header, r->join.host, err);

	r->capture_facts.raw_trace = r->options->raw_trace;
	if (!rc && sort_keys_has_tag(&r->keys, SAMPLE_TAG_CGROUP))
		rc = capture_facts_read_cgroups(&r->capture_facts, &r->chunks, err);
	return rc;
}

static struct report_way way_of(const struct report_run *r)
{
	return (struct report_way){
		.options = r->options,
		.keys = &r->keys,
		.parent = r->has_parent ? &r->parent : NULL,
		.capture_facts = &r->capture_facts,
		.nr_workers = r->nr_workers,
		.unwind = unwind_way_of(&r->capture.header, r->options->unwind),
	};
}

/*
 * Finds the events that share a table: none if there are several captures, or if one table has all
 * events.
 */
static int read_groups(struct report_run *r, struct ts_error *err)
{
	const struct report_options *o = r->options;
	const bool is_one = sort_keys_has_tag(&r->keys, SAMPLE_TAG_EVENT);

	event_groups_release(&r->groups);
	if (is_one && (o->grouping == REPORT_GROUP_ALL || o->wants_member)) {
		r->is_misuse = true;
		ts_error_set(err, EINVAL, "cannot group events that are a sort key");
		return ts_error_hint(err, "leave out the key event or --group");
	}
	if (is_one || o->json || o->grouping == REPORT_GROUP_NONE || report_run_has_several(r))
		return 0;
	if (event_groups_read(&r->groups, &r->capture.header))
		return ts_error_sys(err, ENOMEM, "cannot read the groups of %s", r->capture.path);
	if (r->groups.nr_most == 1 && o->grouping == REPORT_GROUP_ALL)
		event_groups_join(&r->groups, r->capture.header.events.nr);
	if (r->groups.nr_most == 1 && o->wants_member) {
		r->is_misuse = true;
		ts_error_set(err, EINVAL,
			     "cannot sort by an event of a group: %s was recorded without groups",
			     r->capture.path);
		return ts_error_hint(err, "--group makes a group of all events");
	}
	return 0;
}

int report_run_plan(struct report_run *r, struct ts_error *err)
{
	const struct report_options *o = r->options;
	const bool chains = has_callchains(report_run_events(r));
	const bool wants_graph = o->wants_graph && o->callgraph.type != CALLGRAPH_OFF;
	const bool wants_parent = sort_keys_has(&r->keys, TABLE_PARENT);
	const struct report_way way = way_of(r);
	int rc;

	if (!chains && (wants_graph || wants_parent || o->ignored)) {
		ts_error_set(err, EINVAL,
			     "cannot use call chains of %s: it was recorded without -g",
			     r->capture.path);
		return ts_error_hint(err, "leave %s out, or record with -g",
				     wants_graph    ? "-g"
				     : o->parent    ? "-p"
				     : wants_parent ? "the key parent"
						    : "--ignore-callees");
	}
	rc = read_groups(r, err);
	if (rc)
		return rc;
	report_plan_table(&way, chains, &r->table_plan);
	r->table_plan.groups = r->groups.nr_most > 1 ? &r->groups : NULL;
	report_plan_aggregate(&way, &r->table_plan, &r->aggregate_plan);
	return 0;
}

static int count_stacks(struct report_run *r, struct ts_error *err)
{
	int rc = report_run_plan(r, err);

	if (!rc)
		rc = aggregate_run(&r->aggregate, &r->aggregate_plan, &r->chunks, r->tasks,
				   r->symbols, err);
	r->percent = progress_percent(r->capture.progress);
	if (!rc && report_run_has_several(r))
		rc = joined_captures_run(&r->join, &r->aggregate, &r->aggregate_plan,
					 &r->options->selection, err);
	return rc;
}

/* --- the whole --- */

int report_run_open(struct report_run *r, const struct report_options *options,
		    struct memory *memory, struct progress *progress, unsigned int nr_workers,
		    struct ts_error *err)
{
	int rc;

	*r = (struct report_run){.options = options, .nr_workers = nr_workers};
	rc = capture_open(&r->capture, options->inputs[0], err);
	if (rc)
		return rc;
	r->capture.memory = memory;
	r->capture.progress = progress;
	r->capture.places = &options->places;
	return report_run_has_several(r)
		       ? joined_captures_open(&r->join, &r->capture, options->inputs + 1,
					      options->nr_inputs - 1, options->picture.older, err)
		       : 0;
}

/* The kernel's symbols take 15 MB. That is much if the limit is low, and they may not be needed. */
static void start_ahead(struct report_run *r)
{
	if (r->nr_workers > 1 && !r->capture.archive && r->options->mem_limit >= AHEAD_LEAST &&
	    !r->options->places.kallsyms && !r->options->places.vmlinux)
		symbol_ahead_start(&r->symbol_ahead, &r->capture.header);
}

int report_run_load(struct report_run *r, struct ts_error *err)
{
	int rc = report_run_read_keys(r, err);

	if (rc)
		return rc;
	start_ahead(r);
	rc = open_chunks(r, err);
	return rc ? rc : open_tasks(r, err);
}

int report_run_stacks(struct report_run *r, struct ts_error *err)
{
	int rc = report_run_open_tags(r, err);

	if (rc)
		return rc;
	r->symbols = symbols_new(r->tasks, &r->capture.header, err);
	if (!r->symbols)
		return -err->code;
	symbols_use_places(r->symbols, r->capture.places, r->capture.archive);
	symbols_use_limits(r->symbols, r->capture.memory, r->capture.progress);
	symbols_use_ahead(r->symbols, &r->symbol_ahead);
	return count_stacks(r, err);
}

int report_run_count(struct report_run *r, struct ts_error *err)
{
	int rc = report_run_stacks(r, err);

	return rc ? rc
		  : table_build(&r->table, &r->aggregate, report_run_events(r)->nr, &r->table_plan,
				err);
}

void report_run_report(const struct report_run *r, struct report *ret)
{
	const struct report_options *o = r->options;
	const struct report_way way = way_of(r);

	*ret = (struct report){
		.table = &r->table,
		.events = report_run_events(r),
		.tasks = r->tasks,
		.join = report_run_has_several(r) ? &r->join : NULL,
		.style = {.min_percent = o->min_percent,
			  .show_graphs = r->table.plan.with_chains,
			  .graph = {o->callgraph, o->sort && !strncmp(o->sort, "sym", 3)},
			  .is_one_event = sort_keys_has_tag(&r->keys, SAMPLE_TAG_EVENT),
			  .nanoseconds = o->nanoseconds,
			  .times = o->selection.time,
			  .quiet = o->quiet},
	};
	report_plan_columns(&way, r->table.plan.children, &ret->style.columns);
	if (!o->hierarchy)
		report_hide_columns(&r->selection, &r->table.plan, ret->style.is_hidden);
}

int report_run_check(const struct report_run *r, struct ts_error *err)
{
	int rc = symbols_check(r->symbols, err);

	for (size_t i = 0; !rc && i < r->join.nr; i++)
		rc = symbols_check(r->join.items[i].symbols, err);
	return rc;
}

void report_run_close(struct report_run *r)
{
	table_release(&r->table);
	aggregate_release(&r->aggregate);
	joined_captures_close(&r->join);
	damage_release(&r->damage);
	ts_notes_release(&r->warnings);
	symbols_free(r->symbols);
	symbol_ahead_end(&r->symbol_ahead);
	capture_facts_close(&r->capture_facts);
	sort_keys_release(&r->keys);
	if (r->has_parent)
		regfree(&r->parent);
	event_groups_release(&r->groups);
	tasks_free(r->tasks);
	chunk_table_close(&r->chunks);
	selection_close(&r->selection);
	capture_close(&r->capture);
	*r = (struct report_run){0};
}
