// SPDX-License-Identifier: Apache-2.0
/*
 * Samples of a thread are in the order of time, so those of a step stand together. A table of the rows of
 * the step finds the row of a sample: open addressing, emptied at each step by its stamp.
 */
#include "reader/html/html_rows.h"

#include <errno.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/keyed_hash.h"
#include "common/base/min_max.h"
#include "common/base/sum.h"
#include "reader/runtime/memory_limit.h"

#define FIRST_STEP_NS 1000000ull
#define FIRST_SLOTS   1024u
#define FEW_SLOTS     65536u	 /* 1 MiB */
#define TRIM_EVERY    (1u << 20) /* samples between two looks at the memory */

uint64_t html_rows_longer(uint64_t step_ns)
{
	uint64_t first = step_ns;

	if (!step_ns)
		return FIRST_STEP_NS;
	while (first >= 10)
		first /= 10;
	if (step_ns > UINT64_MAX / 5)
		return UINT64_MAX;
	return first == 2 ? step_ns / 2 * 5 : step_ns * 2;
}

/* --- finding the row of a sample --- */

struct row_slot {
	uint64_t stamp; /* of the step and thread that it belongs to */
	uint64_t row;
};

struct binning {
	struct html_rows *rows;
	const struct html_rows_plan *plan;
	uint64_t step_ns, cap; /* cap: rows that have room */
	struct row_slot *slots;
	size_t nr_slots, nr_taken; /* a power of two; of this stamp */
	uint64_t stamp, key;
};

static uint32_t stack_of(const struct binning *b, const struct timed_sample *s)
{
	return b->plan->stack_of_path[s->path];
}

static bool is_of_row(const struct binning *b, const struct timed_sample *s, uint64_t row)
{
	const struct timed_sample *first = &b->rows->own_items[row];

	return stack_of(b, s) == stack_of(b, first) && s->cpu == first->cpu &&
	       s->event == first->event;
}

/* The slot of the row that the sample belongs to, or a free one. */
static struct row_slot *find_slot(const struct binning *b, const struct timed_sample *s)
{
	const uint64_t pair =
		ts_keyed_hash_pair(b->key, stack_of(b, s), (uint64_t)s->event << 16 | s->cpu);
	size_t at = ts_keyed_hash(b->key, pair) & (b->nr_slots - 1);

	while (b->slots[at].stamp == b->stamp && !is_of_row(b, s, b->slots[at].row))
		at = (at + 1) & (b->nr_slots - 1);
	return &b->slots[at];
}

static int grow_slots(struct binning *b)
{
	const uint64_t from = b->rows->nr - b->nr_taken;

	memory_free(b->slots);
	b->nr_slots = b->nr_slots ? 2 * b->nr_slots : FIRST_SLOTS;
	b->slots = (b->nr_slots > FEW_SLOTS ? memory_new_file : memory_new)(
		b->plan->memory, b->nr_slots, sizeof(*b->slots));
	if (!b->slots)
		return -ENOMEM;
	for (uint64_t row = from; row < b->rows->nr; row++)
		*find_slot(b, &b->rows->own_items[row]) = (struct row_slot){b->stamp, row};
	return 0;
}

/* --- rows of a step --- */

static uint64_t step_of(const struct binning *b, const struct timed_sample *s)
{
	return b->plan->has_times ? s->time_ns / b->step_ns : 0;
}

/* -EFBIG: there is no room for another row. */
static int add_row(struct binning *b, const struct timed_sample *s, struct row_slot *slot)
{
	struct html_rows *r = b->rows;

	if (r->nr == b->cap)
		return -EFBIG;
	*slot = (struct row_slot){b->stamp, r->nr};
	r->own_items[r->nr] = *s;
	r->own_items[r->nr].time_ns = step_of(b, s) * b->step_ns;
	r->own_counts[r->nr++] = 1;
	r->of_thread[s->thread]++;
	return 2 * ++b->nr_taken > b->nr_slots ? grow_slots(b) : 0;
}

static int add_sample(struct binning *b, const struct timed_sample *s)
{
	struct row_slot *slot = find_slot(b, s);
	struct timed_sample *row;

	if (slot->stamp != b->stamp)
		return add_row(b, s, slot);
	row = &b->rows->own_items[slot->row];
	row->period = ts_sum(row->period, s->period);
	b->rows->own_counts[slot->row]++;
	return 0;
}

static int add_samples(struct binning *b)
{
	const struct timed_samples *samples = b->plan->samples;
	int rc = 0;

	for (uint64_t i = 0; !rc && i < samples->nr; i++) {
		const struct timed_sample *s = &samples->items[i];

		if (!i || s->thread != s[-1].thread || step_of(b, s) != step_of(b, &s[-1])) {
			b->stamp++;
			b->nr_taken = 0;
		}
		rc = add_sample(b, s);
		if (i % TRIM_EVERY == 0)
			memory_keep_narrow(b->plan->memory);
	}
	return rc;
}

/* --- the whole --- */

/* The rows may be as many as before: their room stays. */
static int make_room(struct binning *b, uint64_t nr)
{
	struct html_rows *r = b->rows;

	if (r->own_items && b->cap == nr)
		return 0;
	memory_free(r->own_items);
	memory_free(r->own_counts);
	r->own_items = memory_new_file(b->plan->memory, nr + 1, sizeof(*r->own_items));
	r->own_counts = memory_new_file(b->plan->memory, nr + 1, sizeof(*r->own_counts));
	r->items = r->own_items;
	r->counts = r->own_counts;
	b->cap = nr;
	return r->own_items && r->own_counts ? 0 : -ENOMEM;
}

/* -EFBIG: there are more rows than that. */
static int count_step(struct binning *b, uint64_t step_ns, uint64_t most)
{
	struct html_rows *r = b->rows;
	const int rc = make_room(b, most);

	if (rc)
		return rc;
	b->step_ns = r->step_ns = r->unit_ns = step_ns;
	r->nr = 0;
	memset(r->of_thread, 0, b->plan->samples->nr_threads * sizeof(*r->of_thread));
	return add_samples(b);
}

bool html_rows_is_longest(const struct timed_samples *samples, bool has_times, uint64_t step_ns)
{
	return !has_times || step_ns > samples->length_ns || step_ns == UINT64_MAX;
}

/* Counts in longer and longer steps, until the rows have room. In the longest one there is always room. */
static int count_steps(struct html_rows *r, const struct html_rows_plan *plan, uint64_t step_ns)
{
	const struct timed_samples *samples = plan->samples;
	struct binning b = {.rows = r, .plan = plan, .key = ts_keyed_hash_key()};
	bool is_longest;
	int rc = grow_slots(&b);

	do {
		is_longest = html_rows_is_longest(samples, plan->has_times, step_ns);
		if (!rc)
			rc = count_step(&b, step_ns,
					is_longest ? samples->nr : ts_min(plan->most, samples->nr));
		step_ns = html_rows_longer(step_ns);
	} while (rc == -EFBIG && !is_longest && !(rc = 0));
	memory_free(b.slots);
	return rc;
}

static void take_singles(struct html_rows *r, const struct timed_samples *samples)
{
	r->items = samples->items;
	r->nr = samples->nr;
	r->unit_ns = HTML_ROWS_UNIT_NS;
	for (uint32_t i = 0; i < samples->nr_threads; i++)
		r->of_thread[i] = samples->threads[i].nr;
}

int html_rows_init(struct html_rows *r, const struct html_rows_plan *plan)
{
	const struct timed_samples *samples = plan->samples;
	int rc = 0;

	*r = (struct html_rows){.has_times = plan->has_times, .stack_of_path = plan->stack_of_path};
	r->of_thread =
		memory_new(plan->memory, (size_t)samples->nr_threads + 1, sizeof(*r->of_thread));
	if (!r->of_thread)
		return -ENOMEM;
	if (!plan->step_ns && samples->nr <= plan->most)
		take_singles(r, samples);
	else
		rc = count_steps(r, plan, ts_max(plan->step_ns, FIRST_STEP_NS));
	if (rc)
		html_rows_release(r);
	return rc;
}

void html_rows_release(struct html_rows *r)
{
	memory_free(r->own_items);
	memory_free(r->own_counts);
	memory_free(r->of_thread);
	*r = (struct html_rows){0};
}
