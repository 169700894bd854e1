// SPDX-License-Identifier: Apache-2.0
/*
 * A worker walks all stacks twice. The first walk finds or adds the entries of its part and sums
 * them up; `visits` keeps the entry of each place. When totals are known, the second walk notes the
 * places of entries that are heavy enough for a call graph. Because of `visits` it need not search.
 */
#include "reader/rows/table_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/counter.h"
#include "common/base/keyed_hash.h"
#include "common/base/sum.h"
#include "reader/rows/hierarchy.h"
#include "reader/rows/table_order.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/workers.h"

#define SLOTS_FIRST   1024
#define STACKS_A_LOOK 4096	 /* a walk trims its window of mapped files this often */
#define VISIT_NONE    UINT32_MAX /* the stack had entered this entry already */

struct slot {
	uint64_t key;
	uint32_t entry; /* + 1; 0: free */
};

struct table_part { /* belongs to its worker until the worker ends */
	_Alignas(TS_CACHE_LINE) const struct table *table;
	unsigned int index;
	struct table_entry *entries;
	struct table_sums *members; /* nr_others per entry */
	size_t nr_others;	    /* members of the largest group, without the first */
	uint32_t nr;
	struct slot *slots;
	size_t nr_slots;
	uint32_t *visits; /* entries in the order of the walk */
	size_t nr_visits, cap_visits;
	struct table_ref *refs;
	struct table_row *order;
	int rc;
};

/* --- entries of a part --- */

static struct slot *find_slot(const struct table_part *p, uint64_t key, uint64_t hash)
{
	size_t at = hash & (p->nr_slots - 1);

	while (p->slots[at].entry && p->slots[at].key != key)
		at = (at + 1) & (p->nr_slots - 1);
	return &p->slots[at];
}

static int grow_entries(struct table_part *p)
{
	size_t nr_old = p->nr_slots, nr_slots = nr_old ? 2 * nr_old : SLOTS_FIRST;
	struct memory *memory = p->table->aggregate->memory;
	struct slot *old = p->slots;
	struct table_entry *entries;
	struct table_sums *members;

	if (nr_old > 2 * (size_t)p->nr)
		return 0;
	entries = memory_resize(memory, p->entries, nr_slots / 2, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	p->entries = entries;
	if (p->nr_others) {
		members = memory_resize(memory, p->members, nr_slots / 2 * p->nr_others,
					sizeof(*members));
		if (!members)
			return -ENOMEM;
		p->members = members;
	}
	p->slots = memory_new(memory, nr_slots, sizeof(*p->slots));
	if (!p->slots) {
		p->slots = old;
		return -ENOMEM;
	}
	p->nr_slots = nr_slots;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].entry)
			*find_slot(p, old[i].key, ts_keyed_hash(p->table->key, old[i].key)) =
				old[i];
	memory_free(old);
	return 0;
}

static int grow_visits(struct table_part *p)
{
	size_t cap = p->cap_visits ? 2 * p->cap_visits : SLOTS_FIRST;
	uint32_t *visits;

	if (p->nr_visits < p->cap_visits)
		return 0;
	visits = memory_resize(p->table->aggregate->memory, p->visits, cap, sizeof(*visits));
	if (!visits)
		return -ENOMEM;
	p->visits = visits;
	p->cap_visits = cap;
	return 0;
}

/* --- the walk --- */

struct place { /* one place of a stack that an entry stands at */
	const struct stacks *part;
	const struct stack *stack;
	uint32_t stack_index; /* in its part */
	uint32_t stamp;	      /* number of the stack among all parts; never 0 */
	uint32_t position;    /* TABLE_LEAF or an index into the stack's frames */
	uint32_t frame;
	uint32_t depth;	 /* frames of the callchain from here on */
	uint32_t member; /* member of its group that its samples belong to; 0: the first */
	uint64_t key, hash;
};

typedef int (*visit_fn)(struct table_part *p, const struct place *place);

static uint64_t key_of(uint32_t base, uint32_t group)
{
	return (uint64_t)base << 32 | group;
}

/*
 * Does the place belong to this part? The upper bits of the hash decide; the lower ones choose the
 * slot.
 */
static bool is_own(const struct table_part *p, const struct place *place)
{
	return (place->hash >> 40) % p->table->plan.nr_workers == p->index;
}

/* Is it a stack without a row, because it has no parent? */
static bool is_other(const struct table *t, uint32_t number)
{
	const struct grouping *g = &t->grouping;

	return t->plan.only_parents && g->bases[g->base_of[number]].parent == g->parents.nr;
}

static uint32_t member_of(const struct table *t, uint32_t event)
{
	return event - event_group_of(t->plan.groups, event).first;
}

static int walk_stack(struct table_part *p, const struct stacks *stacks, uint32_t index,
		      uint32_t number, visit_fn visit)
{
	const struct table *t = p->table;
	const struct stack *stack = &stacks->items[index];
	const uint32_t *frames = stack_frames(stacks, stack);
	uint32_t base = t->grouping.base_of[number];
	uint32_t nr = t->plan.children ? stack->nr_frames : 0;
	struct place place = {.part = stacks,
			      .stack = stack,
			      .stack_index = index,
			      .stamp = number + 1,
			      .position = TABLE_LEAF,
			      .frame = stack->key.leaf,
			      .depth = stack->nr_frames,
			      .member = member_of(t, stack->key.event)};
	int rc = 0;

	if (is_other(t, number))
		return 0;
	place.key = key_of(base, t->grouping.sample_group[place.frame]);
	place.hash = ts_keyed_hash(p->table->key, place.key);
	if (is_own(p, &place))
		rc = visit(p, &place);
	for (uint32_t i = 0; !rc && i < nr; i++) {
		place.position = t->plan.caller_first ? nr - 1 - i : i;
		place.frame = frames[place.position];
		place.depth = nr - i;
		place.key = key_of(base, t->grouping.caller_group[place.frame]);
		place.hash = ts_keyed_hash(p->table->key, place.key);
		if (is_own(p, &place))
			rc = visit(p, &place);
	}
	return rc;
}

static int walk_part(struct table_part *p, visit_fn visit)
{
	const struct aggregate *a = p->table->aggregate;
	uint32_t number = 0;
	int rc = 0;

	for (unsigned int n = 0; n < a->nr_parts; n++)
		for (uint32_t i = 0; !rc && i < a->parts[n].nr; i++) {
			if (i % STACKS_A_LOOK == 0)
				memory_keep_narrow(a->memory);
			rc = walk_stack(p, &a->parts[n], i, number++, visit);
		}
	return rc;
}

/* --- the first walk: sums --- */

static void add_entry(struct table_part *p, struct slot *slot, const struct place *place)
{
	p->entries[p->nr] = (struct table_entry){
		.base = (uint32_t)(place->key >> 32),
		.group = (uint32_t)place->key,
		.first_ns = UINT64_MAX,
		.first_tid = UINT32_MAX,
	};
	for (size_t i = 0; i < p->nr_others; i++)
		p->members[p->nr * p->nr_others + i] = (struct table_sums){0};
	*slot = (struct slot){place->key, ++p->nr};
}

static bool is_earlier(const struct stack *s, const struct table_entry *e)
{
	return s->first_ns < e->first_ns ||
	       (s->first_ns == e->first_ns && s->first_tid < e->first_tid);
}

/* The earliest sample decides how an entry looks; in a group, the earliest of its first event. */
static void note_first(const struct table *t, struct table_entry *e, const struct place *place)
{
	const bool is_first = !place->member;
	const struct frame *frame = &t->aggregate->frames.items[place->frame];
	const struct stack *s = place->stack;

	if (e->is_of_first == is_first ? !is_earlier(s, e) : e->is_of_first)
		return;
	e->is_of_first = is_first;
	e->first_ns = s->first_ns;
	e->first_pid = s->first_pid;
	e->first_tid = s->first_tid;
	e->frame = place->frame;
	e->addr = frame->symbol ? 0 : place->position == TABLE_LEAF ? frame->addr : frame->ip;
}

/* perf sums by the mode in which a sample was taken, which is the level of its frame. */
static void add_mode(const struct table *t, struct table_sums *sums, const struct place *place)
{
	static const char levels[TABLE_NR_MODES] = {'k', '.', 'g', 'u'};
	char level = t->aggregate->frames.items[place->frame].level;

	for (size_t i = 0; i < TABLE_NR_MODES; i++)
		if (levels[i] == level)
			sums->mode_period[i] = ts_sum(sums->mode_period[i], place->stack->period);
}

static struct table_sums *members_of(const struct table_part *p, size_t entry)
{
	return p->members ? p->members + entry * p->nr_others : NULL;
}

static int sum_place(struct table_part *p, const struct place *place)
{
	struct table_sums *sums;
	struct table_entry *e;
	struct slot *slot;

	if (grow_entries(p) || (p->table->plan.with_chains && grow_visits(p)))
		return -ENOMEM;
	slot = find_slot(p, place->key, place->hash);
	if (!slot->entry)
		add_entry(p, slot, place);
	e = &p->entries[slot->entry - 1];
	/* The call graph of a group is that of its first event. */
	if (p->table->plan.with_chains)
		p->visits[p->nr_visits++] =
			e->stamp == place->stamp || place->member ? VISIT_NONE : slot->entry - 1;
	if (e->stamp == place->stamp)
		return 0;
	e->stamp = place->stamp;
	note_first(p->table, e, place);
	sums = place->member ? members_of(p, slot->entry - 1) + place->member - 1 : &e->sums;
	sums->total_period = ts_sum(sums->total_period, place->stack->period);
	if (!place->member && place->depth > e->max_depth)
		e->max_depth = place->depth;
	if (place->position == TABLE_LEAF) {
		sums->self_period = ts_sum(sums->self_period, place->stack->period);
		sums->self_samples += place->stack->nr_samples;
		add_mode(p->table, sums, place);
	}
	return 0;
}

/* --- the second walk: places --- */

static uint64_t least_period(const struct table *t, uint32_t event)
{
	return (uint64_t)((double)t->events[event].period * t->plan.min_share);
}

static bool is_shown(const struct table *t, const struct table_entry *e)
{
	return e->sums.total_period >= least_period(t, table_base(t, e)->event);
}

static int note_place(struct table_part *p, const struct place *place)
{
	uint32_t entry = p->visits[p->nr_visits++];
	struct table_entry *e;

	if (entry == VISIT_NONE)
		return 0;
	e = &p->entries[entry];
	if (!e->refs || !place->stack->nr_frames)
		return 0;
	e->refs[e->nr_refs++] =
		(struct table_ref){place->part, place->stack_index, place->position};
	return 0;
}

static int link_part(struct table_part *p)
{
	struct memory *memory = p->table->aggregate->memory;
	uint32_t *counts = memory_new(memory, (size_t)p->nr + 1, sizeof(*counts));
	size_t nr = 0;

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_visits; i++)
		if (p->visits[i] != VISIT_NONE)
			counts[p->visits[i]]++;
	for (uint32_t i = 0; i < p->nr; i++)
		nr += is_shown(p->table, &p->entries[i]) ? counts[i] : 0;
	p->refs = memory_resize(memory, NULL, nr + 1, sizeof(*p->refs));
	nr = 0;
	for (uint32_t i = 0; p->refs && i < p->nr; i++) {
		if (!is_shown(p->table, &p->entries[i]))
			continue;
		p->entries[i].refs = p->refs + nr;
		nr += counts[i];
	}
	memory_free(counts);
	if (!p->refs)
		return -ENOMEM;
	p->nr_visits = 0;
	walk_part(p, note_place);
	return 0;
}

/* --- the whole --- */

static void run_part(void *arg, unsigned int n)
{
	struct table *t = arg;
	struct table_part *p = &t->parts[n];

	p->rc = walk_part(p, sum_place);
	for (uint32_t i = 0; i < p->nr; i++)
		p->entries[i].members = members_of(p, i);
	if (!p->rc && t->plan.with_chains)
		p->rc = link_part(p);
	memory_free(p->visits);
	memory_free(p->slots);
	p->visits = NULL;
	p->slots = NULL;
	if (p->rc)
		return;
	p->order = memory_resize(t->aggregate->memory, NULL, (size_t)p->nr + 1, sizeof(*p->order));
	if (!p->order) {
		p->rc = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < p->nr; i++)
		p->order[i] = table_row(t, &p->entries[i]);
	table_sort(t, p->order, p->nr);
}

static void sum_part(struct table *t, const struct stacks *stacks, uint32_t number)
{
	for (uint32_t i = 0; i < stacks->nr; i++, number++) {
		struct table_event *event = &t->events[stacks->items[i].key.event];

		if (t->plan.is_relative && is_other(t, number))
			continue;
		event->nr_samples += stacks->items[i].nr_samples;
		event->period = ts_sum(event->period, stacks->items[i].period);
	}
}

static void sum_events(struct table *t)
{
	uint32_t number = 0;

	for (unsigned int i = 0; i < t->aggregate->nr_parts; i++) {
		sum_part(t, &t->aggregate->parts[i], number);
		number += t->aggregate->parts[i].nr;
	}
	for (size_t i = 0; !t->plan.is_relative && i < t->nr_events; i++) {
		t->events[i].nr_samples += t->aggregate->rest[i].nr_samples;
		t->events[i].period = ts_sum(t->events[i].period, t->aggregate->rest[i].period);
	}
}

static int merge_parts(struct table *t)
{
	unsigned int nr = t->plan.nr_workers;
	struct table_row **lists = calloc(nr, sizeof(*lists));
	size_t *nrs = calloc(nr, sizeof(*nrs));
	int rc = lists && nrs ? 0 : -ENOMEM;

	for (unsigned int i = 0; !rc && i < nr; i++) {
		rc = t->parts[i].rc;
		lists[i] = t->parts[i].order;
		nrs[i] = t->parts[i].nr;
		t->nr += nrs[i];
	}
	if (!rc)
		t->order = memory_resize(t->aggregate->memory, NULL, t->nr + 1, sizeof(*t->order));
	if (!rc)
		rc = t->order ? table_merge(t, lists, nrs, nr, t->order) : -ENOMEM;
	free(lists);
	free(nrs);
	return rc;
}

static void find_events(struct table *t)
{
	for (size_t i = t->nr; i-- > 0;) {
		struct table_event *event = &t->events[t->order[i].event];

		event->first = i;
		event->nr++;
	}
}

int table_build(struct table *t, const struct aggregate *a, size_t nr_events,
		const struct table_plan *plan, struct ts_error *err)
{
	const struct grouping_plan grouping = {.keys = plan->keys,
					       .nr_keys = plan->nr_keys,
					       .groups = plan->groups,
					       .parent = plan->parent,
					       .caller_first = plan->caller_first};
	int rc;

	*t = (struct table){
		.aggregate = a, .plan = *plan, .nr_events = nr_events, .key = ts_keyed_hash_key()};
	t->events = calloc(nr_events + 1, sizeof(*t->events));
	t->parts = aligned_alloc(TS_CACHE_LINE, plan->nr_workers * sizeof(*t->parts));
	if (t->parts)
		memset(t->parts, 0, plan->nr_workers * sizeof(*t->parts));
	rc = t->events && t->parts ? grouping_init(&t->grouping, a, &grouping) : -ENOMEM;
	if (!rc) {
		sum_events(t);
		table_plan_order(t);
		for (unsigned int i = 0; i < plan->nr_workers; i++) {
			t->parts[i].table = t;
			t->parts[i].index = i;
			t->parts[i].nr_others = plan->groups ? plan->groups->nr_most - 1 : 0;
		}
		workers_run(plan->nr_workers, run_part, t);
		rc = merge_parts(t);
	}
	if (!rc) {
		find_events(t);
		rc = plan->is_nested ? hierarchy_rows(t) : 0;
	}
	if (rc) {
		table_release(t);
		return ts_error_sys(err, -rc, "cannot sort the report");
	}
	return 0;
}

void table_release(struct table *t)
{
	for (unsigned int i = 0; t->parts && i < t->plan.nr_workers; i++) {
		memory_free(t->parts[i].entries);
		memory_free(t->parts[i].members);
		memory_free(t->parts[i].slots);
		memory_free(t->parts[i].visits);
		memory_free(t->parts[i].refs);
		memory_free(t->parts[i].order);
	}
	free(t->parts);
	memory_free(t->order);
	memory_free(t->branches);
	memory_free(t->branch_members);
	free(t->events);
	grouping_release(&t->grouping);
	*t = (struct table){0};
}
