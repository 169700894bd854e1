/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kept and lost records as a grid: a row for some CPUs, a column for some time. Also computes how
 * far uneven losses can mislead.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_TRUST_LOSS_GRID_H
#define TS_READER_TRUST_LOSS_GRID_H

#include "reader/trust/loss.h"

struct loss_cell {
	uint64_t kept, lost;
};

struct loss_row { /* CPUs first .. last, those that exist; or LOSS_NO_CPU */
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
 * Spreads the timelines over as many columns and rows as possible, at most max_columns and max_rows
 * (both at least 1). Columns are 1, 2, 4 ... seconds, rows 1, 2, 3 ... neighbouring CPUs. Records
 * without a time are left out; without any times there are no columns. Returns 0 or -ENOMEM.
 */
int loss_grid_make(struct loss_grid *g, const struct loss *l, bool only_samples, size_t max_columns,
		   size_t max_rows);
void loss_grid_release(struct loss_grid *g); /* accepts a zeroed one; idempotent */

/*
 * How far losses can have moved a share of samples. For any set of CPUs, its share in the kept
 * samples differs from its share in the offered samples by at most
 *
 *	1/2 * sum over CPUs of |kept / all kept - offered / all offered|
 *
 * The worst set of CPUs differs by exactly that. The same holds for any set of seconds. Even losses
 * give 0.
 */
struct loss_bias {
	double percent;			/* lost, of all samples */
	double cpu_points, time_points; /* percentage points by which shares can be off */
	/* where most was lost */
	uint32_t cpu;
	double cpu_percent;
	uint64_t after_s, step_s; /* seconds after the beginning, and how long */
	double time_percent;
};

#define LOSS_BIAS_POINTS 0.5 /* smaller errors are not printed */

/*
 * True if cpu_points or time_points is at least LOSS_BIAS_POINTS. Without memory no bias is found.
 */
bool loss_bias(const struct loss *l, struct loss_bias *ret);

#endif
