// SPDX-License-Identifier: Apache-2.0
/*
 * Every frame gets a group first: frames that the keys do not tell apart share one. Then each stack
 * enters the entry of its leaf (self and total) and, with children, the entries of its callchain
 * (total), each once: an entry remembers the last stack that entered it.
 */
#include "reader/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define SLOTS_FIRST 1024

static bool has_key(const struct table_plan *plan, enum table_key key)
{
	for (size_t i = 0; i < plan->nr_keys; i++)
		if (plan->keys[i] == key)
			return true;
	return false;
}

const char *table_dso_name(const struct frame *frame)
{
	return frame->module ? frame->module->short_name : "[unknown]";
}

/* --- groups of frames --- */

/* What of a frame the keys tell apart. Hashed and compared as bytes: no padding. */
struct group_key {
	uint64_t name; /* address of the interned name of the object */
	uint64_t from, to;
	uint64_t is_known;
};

static struct group_key group_key(const struct table_plan *plan, const struct frame *f)
{
	bool by_sym = has_key(plan, TABLE_SYM), by_dso = has_key(plan, TABLE_DSO);
	struct group_key key = {0};

	/* Symbols of different objects are different, unknown addresses are only addresses. */
	if (f->module && (by_dso || (by_sym && f->symbol)))
		key.name = (uintptr_t)f->module->short_name;
	if (by_sym) {
		key.is_known = f->symbol != NULL;
		key.from = f->symbol ? f->symbol->start : f->addr;
		key.to = f->symbol ? f->symbol->end : 0;
	}
	return key;
}

static int make_groups(struct table *t)
{
	const struct frames *frames = &t->aggregate->frames;
	size_t nr_slots = SLOTS_FIRST;
	struct group_key *keys;
	uint32_t *slots;

	while (nr_slots < 2 * (size_t)frames->nr)
		nr_slots *= 2;
	t->groups = malloc((frames->nr + 1) * sizeof(*t->groups));
	keys = malloc((frames->nr + 1) * sizeof(*keys));
	slots = calloc(nr_slots, sizeof(*slots));
	for (uint32_t i = 0; t->groups && keys && slots && i < frames->nr; i++) {
		size_t at;

		keys[i] = group_key(&t->plan, &frames->items[i]);
		at = XXH3_64bits(&keys[i], sizeof(keys[i])) & (nr_slots - 1);
		while (slots[at] && memcmp(&keys[slots[at] - 1], &keys[i], sizeof(keys[i])) != 0)
			at = (at + 1) & (nr_slots - 1);
		if (!slots[at])
			slots[at] = i + 1;
		t->groups[i] = slots[at] - 1;
	}
	free(slots);
	free(keys);
	return t->groups && keys && slots ? 0 : -ENOMEM;
}

/* --- entries --- */

static size_t entry_hash(const struct table_entry *e)
{
	uint32_t key[5] = {e->event, e->comm, e->tid, e->cpu, e->group};

	return XXH3_64bits(key, sizeof(key));
}

static bool is_same(const struct table_entry *a, const struct table_entry *b)
{
	return a->group == b->group && a->comm == b->comm && a->tid == b->tid && a->cpu == b->cpu &&
	       a->event == b->event;
}

static int grow(struct table *t)
{
	size_t nr_slots = t->nr_slots ? 2 * t->nr_slots : SLOTS_FIRST;
	struct table_entry *entries;
	uint32_t *slots;

	if (t->nr_slots > 2 * (size_t)t->nr)
		return 0;
	entries = realloc(t->entries, nr_slots / 2 * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	t->entries = entries;
	slots = calloc(nr_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->nr_slots = nr_slots;
	for (uint32_t i = 0; i < t->nr; i++) {
		size_t at = entry_hash(&entries[i]) & (nr_slots - 1);

		while (slots[at])
			at = (at + 1) & (nr_slots - 1);
		slots[at] = i + 1;
	}
	return 0;
}

static struct table_entry entry_of(const struct table *t, const struct stack *stack, uint32_t frame)
{
	return (struct table_entry){
		.event = stack->key.event,
		.comm = stack->key.comm,
		.tid = stack->key.tid,
		.cpu = stack->key.cpu,
		.group = t->groups[frame],
		.first_ns = UINT64_MAX,
	};
}

/* The slot that holds this entry, or the free one where it belongs. */
static uint32_t *find_slot(const struct table *t, const struct table_entry *wanted)
{
	size_t at = entry_hash(wanted) & (t->nr_slots - 1);

	while (t->slots[at] && !is_same(&t->entries[t->slots[at] - 1], wanted))
		at = (at + 1) & (t->nr_slots - 1);
	return &t->slots[at];
}

/* The entry that a frame of a stack belongs to, added if new; NULL: out of memory. */
static struct table_entry *find_entry(struct table *t, const struct stack *stack, uint32_t frame)
{
	struct table_entry wanted = entry_of(t, stack, frame);
	uint32_t *slot;

	if (grow(t))
		return NULL;
	slot = find_slot(t, &wanted);
	if (!*slot) {
		wanted.frame = t->aggregate->frames.items[frame];
		t->entries[t->nr] = wanted;
		*slot = ++t->nr;
	}
	return &t->entries[*slot - 1];
}

/* Adds a stack's samples to the total of an entry. */
static void enter(struct table_entry *e, const struct stack *stack, const struct frame *frame)
{
	bool is_earlier = stack->first_ns < e->first_ns ||
			  (stack->first_ns == e->first_ns && stack->first_tid < e->first_tid);

	if (is_earlier) {
		e->first_ns = stack->first_ns;
		e->first_pid = stack->first_pid;
		e->first_tid = stack->first_tid;
		e->frame = *frame;
	}
	e->total_period += stack->period;
	if (stack->nr_frames > e->max_depth)
		e->max_depth = stack->nr_frames;
}

static int enter_leaf(struct table *t, const struct stack *stack, uint32_t stamp)
{
	struct table_entry *e = find_entry(t, stack, stack->key.leaf);

	if (!e)
		return -ENOMEM;
	enter(e, stack, &t->aggregate->frames.items[stack->key.leaf]);
	e->self_period += stack->period;
	e->self_samples += stack->nr_samples;
	e->stamp = stamp;
	return 0;
}

static int enter_chain(struct table *t, const struct stack *stack, uint32_t stamp)
{
	const uint32_t *frames = stack_frames(&t->aggregate->stacks, stack);

	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		struct table_entry *e = find_entry(t, stack, frames[i]);

		if (!e)
			return -ENOMEM;
		if (e->stamp == stamp)
			continue;
		e->stamp = stamp;
		enter(e, stack, &t->aggregate->frames.items[frames[i]]);
	}
	return 0;
}

static int enter_stacks(struct table *t)
{
	const struct stacks *stacks = &t->aggregate->stacks;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < stacks->nr; i++) {
		const struct stack *stack = &stacks->items[i];
		struct table_event *event = &t->events[stack->key.event];

		event->nr_samples += stack->nr_samples;
		event->period += stack->period;
		rc = enter_leaf(t, stack, i + 1);
		if (!rc && t->plan.children)
			rc = enter_chain(t, stack, i + 1);
	}
	return rc;
}

/* --- order --- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* What has no symbol comes behind what has one. */
static int compare_null(const void *a, const void *b)
{
	return !a - !b;
}

static int compare_dso(const struct frame *a, const struct frame *b)
{
	if (!a->module || !b->module)
		return compare_null(a->module, b->module);
	return strcmp(a->module->short_name, b->module->short_name);
}

static int compare_sym(const struct frame *a, const struct frame *b)
{
	if (!a->symbol || !b->symbol)
		return compare_null(a->symbol, b->symbol);
	return strcmp(a->symbol->name, b->symbol->name);
}

static int compare_key(const struct table *t, enum table_key key, const struct table_entry *a,
		       const struct table_entry *b)
{
	char *const *comms = t->aggregate->comms.items;

	switch (key) {
	case TABLE_COMM:
		return a->comm == b->comm ? 0 : strcmp(comms[a->comm], comms[b->comm]);
	case TABLE_PID:
	case TABLE_TID:
		return compare_u64(a->tid, b->tid);
	case TABLE_DSO:
		return compare_dso(&a->frame, &b->frame);
	case TABLE_SYM:
		return compare_sym(&a->frame, &b->frame);
	case TABLE_CPU:
		return compare_u64(a->cpu, b->cpu);
	default:
		return 0;
	}
}

/* Names can be equal where entries are not: then by address, which is never equal as well. */
static int compare_rest(const struct table_entry *a, const struct table_entry *b)
{
	const struct symbol *x = a->frame.symbol, *y = b->frame.symbol;
	int rc = compare_dso(&a->frame, &b->frame);

	if (x && y) {
		rc = rc ? rc : compare_u64(x->start, y->start);
		return rc ? rc : compare_u64(x->end, y->end);
	}
	if (!x && !y)
		rc = compare_u64(a->frame.addr, b->frame.addr);
	return rc ? rc : compare_u64(a->group, b->group);
}

/* perf's order for two entries of the same totals and thread: by the depth of their callchains. */
static int compare_depth(const struct table *t, const struct table_entry *a,
			 const struct table_entry *b)
{
	if (!t->plan.with_chains || a->first_tid != b->first_tid || a->first_pid != b->first_pid)
		return 0;
	return t->plan.caller_first ? compare_u64(b->max_depth, a->max_depth)
				    : compare_u64(a->max_depth, b->max_depth);
}

static int compare_entries(const void *x, const void *y, void *arg)
{
	const struct table_entry *a = x, *b = y;
	const struct table *t = arg;
	int rc = compare_u64(a->event, b->event);

	if (!rc && t->plan.children) {
		rc = compare_u64(b->total_period, a->total_period);
		rc = rc ? rc : compare_depth(t, a, b);
	}
	rc = rc ? rc : compare_u64(b->self_period, a->self_period);
	for (size_t i = 0; !rc && i < t->plan.nr_keys; i++)
		rc = compare_key(t, t->plan.keys[i], a, b);
	return rc ? rc : compare_rest(a, b);
}

static void order_entries(struct table *t)
{
	if (t->nr)
		qsort_r(t->entries, t->nr, sizeof(*t->entries), compare_entries, t);
	for (size_t i = t->nr; i-- > 0;) {
		struct table_event *event = &t->events[t->entries[i].event];

		event->first = i;
		event->nr++;
	}
}

/* --- the whole --- */

static int no_memory(struct table *t, struct ts_error *err)
{
	table_release(t);
	return ts_error_sys(err, ENOMEM, "cannot sort the report");
}

int table_build(struct table *t, const struct aggregate *a, size_t nr_events,
		const struct table_plan *plan, struct ts_error *err)
{
	*t = (struct table){.aggregate = a, .plan = *plan, .nr_events = nr_events};
	t->events = calloc(nr_events + 1, sizeof(*t->events));
	if (!t->events || make_groups(t) || enter_stacks(t))
		return no_memory(t, err);
	order_entries(t);
	return 0;
}

void table_release(struct table *t)
{
	free(t->entries);
	free(t->events);
	free(t->refs);
	free(t->groups);
	free(t->slots);
	*t = (struct table){0};
}

/* --- where entries stand --- */

/* The slots again, since the order changed what they point to. */
static int rebuild_slots(struct table *t)
{
	free(t->slots);
	t->slots = calloc(t->nr_slots ? t->nr_slots : 1, sizeof(*t->slots));
	if (!t->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr; i++) {
		size_t at = entry_hash(&t->entries[i]) & (t->nr_slots - 1);

		while (t->slots[at])
			at = (at + 1) & (t->nr_slots - 1);
		t->slots[at] = i + 1;
		t->entries[i].stamp = 0;
		t->entries[i].nr_refs = 0;
	}
	return 0;
}

uint64_t table_least(const struct table *t, uint32_t event, double min_share)
{
	return (uint64_t)((double)t->events[event].period * min_share);
}

/* Notes one place of an entry: counts it, or with `refs` writes it down. */
static void note(struct table *t, const struct table_entry *wanted, uint32_t stack,
		 uint32_t position, double min_share)
{
	struct table_entry *e = &t->entries[*find_slot(t, wanted) - 1];

	if (e->stamp == stack + 1)
		return;
	e->stamp = stack + 1;
	if (e->total_period < table_least(t, e->event, min_share))
		return;
	if (t->refs)
		t->refs[e->first_ref + e->nr_refs] = (struct table_ref){stack, position};
	e->nr_refs++;
}

/* Walks all stacks; an entry's place is the first one from where the callchain begins. */
static void note_all(struct table *t, double min_share)
{
	const struct stacks *stacks = &t->aggregate->stacks;

	for (uint32_t i = 0; i < stacks->nr; i++) {
		const struct stack *stack = &stacks->items[i];
		const uint32_t *frames = stack_frames(stacks, stack);
		uint32_t nr = t->plan.children ? stack->nr_frames : 0;
		struct table_entry wanted;

		if (!stack->nr_frames)
			continue;
		wanted = entry_of(t, stack, stack->key.leaf);
		note(t, &wanted, i, TABLE_LEAF, min_share);
		for (uint32_t n = 0; n < nr; n++) {
			uint32_t f = t->plan.caller_first ? nr - 1 - n : n;

			wanted = entry_of(t, stack, frames[f]);
			note(t, &wanted, i, f, min_share);
		}
	}
}

int table_link(struct table *t, double min_share, struct ts_error *err)
{
	uint64_t nr = 0;

	if (rebuild_slots(t))
		return ts_error_sys(err, ENOMEM, "cannot build call graphs");
	note_all(t, min_share);
	for (uint32_t i = 0; i < t->nr; i++) {
		t->entries[i].first_ref = nr;
		nr += t->entries[i].nr_refs;
		t->entries[i].nr_refs = 0;
		t->entries[i].stamp = 0;
	}
	t->refs = malloc((nr + 1) * sizeof(*t->refs));
	if (!t->refs)
		return ts_error_sys(err, ENOMEM, "cannot build call graphs");
	note_all(t, min_share);
	return 0;
}
