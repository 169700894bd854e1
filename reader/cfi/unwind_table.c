// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/unwind_table.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/base/keyed_hash.h"

#define RULES_MAX (1u << 20)
#define ROWS_MAX  (64u << 20)

void unwind_table_init(struct unwind_table *t, uint64_t base)
{
	const struct unwind_rule unknown = {.how = UNWIND_UNKNOWN};

	*t = (struct unwind_table){.base = base, .key = ts_keyed_hash_key()};
	t->nr_slots = 64;
	t->slots = calloc(t->nr_slots, sizeof(*t->slots));
	t->cap_rules = 32;
	t->rules = calloc(t->cap_rules, sizeof(*t->rules));
	t->failed = t->lacks_memory = !t->slots || !t->rules;
	if (!t->failed)
		t->rules[t->nr_rules++] = unknown;
}

void unwind_table_release(struct unwind_table *t)
{
	free(t->rows);
	free(t->rules);
	free(t->slots);
	*t = (struct unwind_table){0};
}

/* The bytes of a rule that are used. */
static size_t bytes_of(const struct unwind_rule *rule)
{
	return offsetof(struct unwind_rule, saves) + rule->nr_saves * sizeof(rule->saves[0]);
}

static bool is_same(const struct unwind_rule *a, const struct unwind_rule *b)
{
	return a->nr_saves == b->nr_saves && !memcmp(a, b, bytes_of(a));
}

static uint32_t *find_slot(const struct unwind_table *t, const struct unwind_rule *rule)
{
	size_t at = XXH3_64bits_withSeed(rule, bytes_of(rule), t->key) & (t->nr_slots - 1);

	while (t->slots[at] && !is_same(&t->rules[t->slots[at] - 1], rule))
		at = (at + 1) & (t->nr_slots - 1);
	return &t->slots[at];
}

static bool refuse_growth(struct unwind_table *t)
{
	t->lacks_memory = true;
	return false;
}

static bool grow_rules(struct unwind_table *t)
{
	struct unwind_rule *rules = t->rules;
	uint32_t *slots;

	if (t->nr_rules == RULES_MAX)
		return false;
	if (t->nr_rules == t->cap_rules) {
		rules = reallocarray(rules, 2 * (size_t)t->cap_rules, sizeof(*rules));
		if (!rules)
			return refuse_growth(t);
		t->rules = rules;
		t->cap_rules *= 2;
	}
	if (t->nr_slots > 2 * (size_t)t->nr_rules)
		return true;
	slots = calloc(2 * t->nr_slots, sizeof(*slots));
	if (!slots)
		return refuse_growth(t);
	free(t->slots);
	t->slots = slots;
	t->nr_slots *= 2;
	for (uint32_t i = 1; i < t->nr_rules; i++)
		*find_slot(t, &t->rules[i]) = i + 1;
	return true;
}

/* The number of an equal rule, which is added if new; 0: out of memory. */
static uint32_t intern_rule(struct unwind_table *t, const struct unwind_rule *rule)
{
	uint32_t *slot;

	if (!grow_rules(t))
		return 0;
	slot = find_slot(t, rule);
	if (!*slot) {
		t->rules[t->nr_rules] = *rule;
		*slot = ++t->nr_rules;
	}
	return *slot - 1;
}

static bool make_room(struct unwind_table *t)
{
	size_t cap = t->cap ? 2 * t->cap : 1024;
	struct unwind_row *rows;

	if (t->nr + 2 <= t->cap)
		return true;
	if (cap > ROWS_MAX)
		return false;
	rows = reallocarray(t->rows, cap, sizeof(*rows));
	if (!rows)
		return refuse_growth(t);
	t->rows = rows;
	t->cap = cap;
	return true;
}

void unwind_table_add(struct unwind_table *t, uint64_t start, uint64_t end,
		      const struct unwind_rule *rule)
{
	uint32_t number;

	if (t->failed || start < t->base || end <= start || end - t->base > UINT32_MAX)
		return;
	number = intern_rule(t, rule);
	if (!number || !make_room(t)) {
		t->failed = true;
		return;
	}
	start -= t->base;
	end -= t->base;
	/*
	 * Rows nearly always come in order. Then the last row, the end of the previous range, is
	 * replaced.
	 */
	if (t->nr && t->rows[t->nr - 1].start == start && !t->rows[t->nr - 1].rule)
		t->nr--;
	t->rows[t->nr++] = (struct unwind_row){(uint32_t)start, number};
	t->rows[t->nr++] = (struct unwind_row){(uint32_t)end, 0};
}

static int by_start(const void *a, const void *b)
{
	const struct unwind_row *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* An end comes before a range that begins there. */
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/*
 * Ends and beginnings are both rows. So if ranges overlap, the earlier one ends where the later one
 * begins. A row with the rule of the row before is dropped.
 */
void unwind_table_finish(struct unwind_table *t)
{
	size_t kept = 0;

	if (t->failed)
		t->nr = 0;
	free(t->slots);
	t->slots = NULL;
	t->nr_slots = 0;
	for (size_t i = 1; i < t->nr; i++) {
		if (by_start(&t->rows[i - 1], &t->rows[i]) <= 0)
			continue;
		qsort(t->rows, t->nr, sizeof(*t->rows), by_start);
		break;
	}
	for (size_t i = 0; i < t->nr; i++) {
		if (kept && t->rows[kept - 1].start == t->rows[i].start)
			kept--;
		if (kept ? t->rows[kept - 1].rule == t->rows[i].rule : !t->rows[i].rule)
			continue;
		t->rows[kept++] = t->rows[i];
	}
	t->nr = kept;
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *t, uint64_t addr)
{
	static const struct unwind_rule unknown;
	size_t low = 0, high = t->nr;

	if (addr < t->base || addr - t->base > UINT32_MAX)
		return &unknown;
	addr -= t->base;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->rows[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &t->rules[t->rows[low - 1].rule] : &unknown;
}
