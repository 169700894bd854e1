/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was kept and lost as a grid: a row for some CPUs, a column for some time. And how far uneven
 * losses can mislead.
 *
 * Threads: none of its own.
 */
#ifndef TS_READER_TRUST_LOSS_GRID_H
#define TS_READER_TRUST_LOSS_GRID_H

#include "reader/trust/loss.h"

struct loss_cell {
	uint64_t kept, lost;
};

struct loss_row { /* CPUs first .. last, as far as there are any; or LOSS_NO_CPU */
	uint32_t first_cpu, last_cpu;
};

struct loss_grid {
	uint64_t step_ns;  /* of a column: a whole number of seconds */
	uint64_t start_ns; /* of the first column */
	size_t nr_rows, nr_columns;
	struct loss_row *rows;	 /* owned */
	struct loss_cell *cells; /* owned; row by row */
};

/*
 * Spreads the timelines over at most max_columns columns and max_rows rows (both at least 1), as
 * many as that allows: columns are 1, 2, 4 ... seconds, rows 1, 2, 3 ... neighbouring CPUs. What
 * has no time is not in it; without any times there are no columns. -ENOMEM.
 */
int loss_grid_make(struct loss_grid *g, const struct loss *l, bool only_samples, size_t max_columns,
		   size_t max_rows);
void loss_grid_release(struct loss_grid *g); /* accepts a zeroed one; idempotent */

/*
 * How far losses can have moved a share of samples. Of any set of CPUs, the share in what was kept
 * differs from that in what was offered by at most
 *
 *	1/2 * sum over CPUs of |kept / all kept - offered / all offered|
 *
 * and by exactly that for the worst set; the same for any set of moments, by the second. Even losses
 * give 0.
 */
struct loss_bias {
	double percent;			/* lost, of all samples */
	double cpu_points, time_points; /* how many percentage points shares can be off */
	/* where most was lost */
	uint32_t cpu;
	double cpu_percent;
	uint64_t after_s, step_s; /* seconds after the beginning, and how long */
	double time_percent;
};

#define LOSS_BIAS_POINTS 0.5 /* less is not worth a line */

/* True when either is LOSS_BIAS_POINTS or more. -ENOMEM counts as no bias. */
bool loss_bias(const struct loss *l, struct loss_bias *ret);

#endif
