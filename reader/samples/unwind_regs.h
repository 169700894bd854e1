/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's numbers of registers (asm/perf_regs.h of x86-64) as DWARF's.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_SAMPLES_UNWIND_REGS_H
#define TS_READER_SAMPLES_UNWIND_REGS_H

/* -1: one that no unwinding needs. */
static inline int unwind_regs_dwarf(unsigned int perf)
{
	/* ax bx cx dx si di bp sp ip; flags and segments; r8 to r15 */
	static const signed char by_perf[] = {0,  3,  2,  1,  4, 5, 6,	7,  16, -1, -1, -1,
					      -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};

	return perf < sizeof(by_perf) ? by_perf[perf] : -1;
}

#endif
