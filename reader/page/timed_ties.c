// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_ties.h"

#include <stdbool.h>

#define FEW    24 /* samples that are sorted by insertion */
#define DIGITS 18 /* bytes of path, period, CPU and event */

static bool is_before(const struct timed_sample *a, const struct timed_sample *b)
{
	if (a->path != b->path)
		return a->path < b->path;
	if (a->period != b->period)
		return a->period < b->period;
	return a->cpu != b->cpu ? a->cpu < b->cpu : a->event < b->event;
}

static void sort_few(struct timed_sample *items, uint64_t nr)
{
	for (uint64_t i = 1; i < nr; i++) {
		const struct timed_sample s = items[i];
		uint64_t at = i;

		for (; at && is_before(&s, &items[at - 1]); at--)
			items[at] = items[at - 1];
		items[at] = s;
	}
}

static uint8_t digit_of(const struct timed_sample *s, unsigned int digit)
{
	if (digit < 4)
		return (uint8_t)(s->path >> (24 - 8 * digit));
	if (digit < 12)
		return (uint8_t)(s->period >> (88 - 8 * digit));
	return digit < 14 ? (uint8_t)(s->cpu >> (104 - 8 * digit))
			  : (uint8_t)(s->event >> (136 - 8 * digit));
}

/* Puts each sample into the part of its digit. ends[d] is where part d ends. */
static void part_samples(struct timed_sample *items, unsigned int digit, uint64_t ends[256])
{
	uint64_t next[256] = {0};

	for (int d = 1; d < 256; d++)
		next[d] = ends[d - 1];
	for (int d = 0; d < 256; d++)
		while (next[d] < ends[d]) {
			const struct timed_sample s = items[next[d]];
			const uint8_t to = digit_of(&s, digit);

			items[next[d]] = items[next[to]];
			items[next[to]++] = s;
		}
}

static bool is_sorted(const struct timed_sample *items, uint64_t nr)
{
	for (uint64_t i = 1; i < nr; i++)
		if (is_before(&items[i], &items[i - 1]))
			return false;
	return true;
}

/* By the bytes from `digit` on, in place: samples in a file stay there. At most DIGITS deep. */
static void sort_samples(struct timed_sample *items, uint64_t nr, unsigned int digit)
{
	uint64_t ends[256] = {0}, from = 0;

	if (nr <= FEW) {
		sort_few(items, nr);
		return;
	}
	if (digit == DIGITS || is_sorted(items, nr))
		return;
	for (uint64_t i = 0; i < nr; i++)
		ends[digit_of(&items[i], digit)]++;
	for (int d = 1; d < 256; d++)
		ends[d] += ends[d - 1];
	part_samples(items, digit, ends);
	for (int d = 0; d < 256; from = ends[d++])
		sort_samples(items + from, ends[d] - from, digit + 1);
}

void timed_ties_sort(struct timed_sample *items, uint64_t nr)
{
	sort_samples(items, nr, 0);
}
