// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/sample_log.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "reader/runtime/memory_limit.h"

#define NR  3000000u
#define RUN 200u /* samples of a thread, one after the other */

/* Sample n: its stack is one of three, and all its other values follow from n, too. */
static void add(struct sample_log *l, uint32_t n)
{
	const struct ts_sample sample = {
		.sid = {.time_ns = n, .pid = n / RUN + 1, .tid = n / RUN + 2, .cpu = n},
		.period = 2 * (uint64_t)n,
	};

	cr_assert_eq(sample_log_add(l, &sample, n % 3), 0);
}

static void expect_sample(const struct logged_sample *s, uint32_t n)
{
	cr_assert_eq(s->time_ns, n);
	cr_assert_eq(s->pid, n / RUN + 1);
	cr_assert_eq(s->tid, n / RUN + 2);
	cr_assert_eq(s->period, 2 * (uint64_t)n);
	cr_assert_eq(s->cpu, n < SAMPLE_LOG_NO_CPU ? n : SAMPLE_LOG_NO_CPU);
}

/*
 * Every sample in its order, since each thread has its samples at once; `stacks` and `parts` are those of its stack.
 */
static void expect_samples(const struct sample_log *l, const uint32_t stacks[3],
			   const uint16_t parts[3])
{
	uint32_t n = 0;

	for (size_t k = 0; k < l->nr_runs; k++)
		for (uint32_t i = 0; i < l->runs[k].nr; i++, n++) {
			const struct logged_sample *sample = &l->runs[k].items[i];
			const struct stack_place place = sample_log_place(l, sample);

			expect_sample(sample, n);
			cr_assert_eq(place.stack, stacks[n % 3]);
			cr_assert_eq(place.part, parts[n % 3]);
		}
	cr_expect_eq(n, l->nr);
}

/* Of 96 MB at most 2 lie in memory, and files are few. */
Test(sample_log, keeps_samples_in_memory_and_in_files)
{
	const uint64_t bytes = NR * sizeof(struct logged_sample);
	struct memory memory;
	struct sample_log l;

	memory_init(&memory, MEMORY_LIMIT_DEFAULT, NULL);
	sample_log_init(&l, &memory, 2u << 20);
	for (uint32_t n = 0; n < NR; n++)
		add(&l, n);
	cr_assert_eq(sample_log_finish(&l), 0);
	cr_expect_eq(l.nr, NR);
	cr_expect_leq(memory.private_bytes, (2u << 20) + (512u << 10), "with its runs");
	cr_expect_geq(memory.file_bytes, bytes - (2u << 20));
	cr_expect_leq(memory.file_bytes, 2 * bytes);
	cr_expect_leq(l.nr_blocks, 16);
	expect_samples(&l, (const uint32_t[]){0, 1, 2}, (const uint16_t[]){0, 0, 0});
	sample_log_release(&l);
	cr_expect_eq(memory.file_bytes, 0);
	sample_log_release(&l);
	memory_release(&memory);
}

/* Twice, as if an aggregate of one capture were joined to another. */
Test(sample_log, moves_with_its_stacks)
{
	const struct stack_place counted[] = {{5, 1}, {0, 0}, {7, 2}};
	const struct stack_place joined[] = {{9, 3}, [5 + 1] = {1, 4}, [7 + 2] = {2, 5}};
	const uint64_t first[] = {0, 1, 2}; /* of the parts in joined[] */
	struct sample_log l;

	sample_log_init(&l, NULL, 0);
	for (uint32_t n = 0; n < 5 * SAMPLE_LOG_FIRST; n++)
		add(&l, n);
	cr_assert_eq(sample_log_finish(&l), 0);
	expect_samples(&l, (const uint32_t[]){0, 1, 2}, (const uint16_t[]){0, 0, 0});
	cr_assert_eq(sample_log_move(&l, counted, (const uint64_t[]){0, 3}), 0);
	expect_samples(&l, (const uint32_t[]){5, 0, 7}, (const uint16_t[]){1, 0, 2});
	cr_assert_eq(sample_log_move(&l, joined, first), 0);
	expect_samples(&l, (const uint32_t[]){1, 9, 2}, (const uint16_t[]){4, 3, 5});
	sample_log_release(&l);
}

/* Small arrays are always given, large ones are not: the second batch is made in part. */
Test(sample_log, refuses_each_sample_that_finds_no_memory)
{
	const struct ts_sample sample = {.period = 1};
	struct memory memory;
	struct sample_log l;

	memory_init(&memory, 1, "/nowhere");
	sample_log_init(&l, &memory, SAMPLE_LOG_BYTES);
	for (uint32_t n = 0; n < SAMPLE_LOG_FIRST; n++)
		cr_assert_eq(sample_log_add(&l, &sample, 0), 0);
	cr_expect_eq(sample_log_add(&l, &sample, 0), -ENOMEM);
	cr_expect_eq(l.batch.nr, l.batch.cap, "no sample is written to a batch that is not there");
	cr_expect_eq(sample_log_finish(&l), 0);
	sample_log_release(&l);
	memory_release(&memory);
}
