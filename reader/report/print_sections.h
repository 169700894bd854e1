/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `report` prints in place of rows: the header of a capture (--header-only), its counts
 * (--stats), its threads (--tasks), its losses (--loss) or its records (-D).
 *
 *	for each capture: open | read, print, say what is damaged, close
 *
 * Each capture is read as if it were alone and has a section, in the order of the command line; of
 * several captures a section begins with the path. Nothing is added up: rings, threads and clocks of
 * several hosts have nothing in common (decision 64). With --json the losses of all are one document.
 *
 * Threads: main thread only; reading uses several.
 */
#ifndef TS_READER_REPORT_PRINT_SECTIONS_H
#define TS_READER_REPORT_PRINT_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/report/report_options.h"
#include "reader/report/report_output.h"
#include "reader/runtime/spill.h"

struct sections_plan {
	const struct report_options *options;
	unsigned int nr_workers;
	struct spill *spill;
	struct report_output *output;
};

/* Does the command line ask for them, and not for rows? */
bool print_sections_wanted(const struct report_options *options);
/*
 * Prints a section for each capture; behind each, on stderr, what of it is damaged, and
 * *ret_nr_damaged grows by how much that is. All captures are there before the first is read. 0;
 * -EPIPE when nobody reads any more; -errno.
 */
int print_sections(const struct sections_plan *plan, uint64_t *ret_nr_damaged,
		   struct ts_error *err);

#endif
