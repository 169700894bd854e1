/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Criterion's words for: what was decoded is what was built (made_samples.h). Fails the test that
 * calls.
 */
#ifndef TS_TESTS_SUPPORT_EXPECT_SAMPLE_H
#define TS_TESTS_SUPPORT_EXPECT_SAMPLE_H

#include <criterion/criterion.h>

#include "common/perf/record.h"

static inline void expect_sid(const struct ts_sample_id *got, const struct ts_sample_id *want)
{
	cr_assert_eq(got->event, want->event);
	cr_assert_eq(got->pid, want->pid);
	cr_assert_eq(got->tid, want->tid);
	cr_assert_eq(got->cpu, want->cpu);
	cr_assert_eq(got->time_ns, want->time_ns);
	cr_assert_eq(got->id, want->id);
	cr_assert_eq(got->stream_id, want->stream_id);
}

static inline void expect_numbers(const struct ts_sample *got, const struct ts_sample *want)
{
	cr_assert_eq(got->ip, want->ip);
	cr_assert_eq(got->addr, want->addr);
	cr_assert_eq(got->period, want->period);
	cr_assert_eq(got->weight, want->weight);
	cr_assert_eq(got->instruction_cycles, want->instruction_cycles);
	cr_assert_eq(got->stage_cycles, want->stage_cycles);
	cr_assert_eq(got->data_src, want->data_src);
	cr_assert_eq(got->transaction, want->transaction);
	cr_assert_eq(got->phys_addr, want->phys_addr);
	cr_assert_eq(got->cgroup, want->cgroup);
	cr_assert_eq(got->data_page_size, want->data_page_size);
	cr_assert_eq(got->code_page_size, want->code_page_size);
}

static inline void expect_blocks(const struct ts_sample *got, const struct ts_sample *want)
{
	cr_assert_eq(got->read.nr, want->read.nr);
	cr_assert_eq(got->callchain.nr, want->callchain.nr);
	cr_assert_eq(got->raw_size, want->raw_size);
	cr_assert_eq(got->branches.nr, want->branches.nr);
	cr_assert_eq(got->user_abi, want->user_abi);
	cr_assert_eq(got->user_regs.nr, want->user_regs.nr);
	cr_assert_eq(got->user_stack_size, want->user_stack_size);
	cr_assert_eq(got->user_stack_dyn, want->user_stack_dyn);
	cr_assert_eq(got->intr_abi, want->intr_abi);
	cr_assert_eq(got->intr_regs.nr, want->intr_regs.nr);
	cr_assert_eq(got->aux_size, want->aux_size);
}

#endif
