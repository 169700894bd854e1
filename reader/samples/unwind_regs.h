/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the kernel's register numbers (asm/perf_regs.h of x86-64) to DWARF's.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_SAMPLES_UNWIND_REGS_H
#define TS_READER_SAMPLES_UNWIND_REGS_H

/* -1: unwinding never needs this register. */
static inline int unwind_regs_dwarf(unsigned int perf)
{
	/* ax bx cx dx si di bp sp ip; flags and segments; r8 to r15 */
	static const signed char by_perf[] = {0,  3,  2,  1,  4, 5, 6,	7,  16, -1, -1, -1,
					      -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};

	return perf < sizeof(by_perf) ? by_perf[perf] : -1;
}

#endif
