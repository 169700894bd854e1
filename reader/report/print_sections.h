/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints everything that `report` can print in place of rows: the header of a capture
 * (--header-only), its counts (--stats), its threads (--tasks), its losses (--loss) or its records
 * (-D).
 *
 *	for each capture: open | read, print, warn of damage, close
 *
 * Each capture is read as if it were alone and has a section, in the order of the command line. If
 * there are several captures, a section begins with the path. Nothing is added up, because rings,
 * threads and clocks of several hosts have nothing in common (decision 64). With --json the losses
 * of all captures are one document.
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
#include "reader/runtime/memory.h"

struct sections_plan {
	const struct report_options *options;
	unsigned int nr_workers;
	struct memory *memory;
	struct report_output *output;
};

/* Does the command line ask for sections instead of rows? */
bool print_sections_wanted(const struct report_options *options);
/*
 * Prints a section for each capture. After each section warns on stderr of damage and adds the
 * number of damaged parts to *ret_nr_damaged. All captures are opened before the first is read.
 * Returns 0; -EPIPE if the reader of a pipe is gone; -errno.
 */
int print_sections(const struct sections_plan *plan, uint64_t *ret_nr_damaged,
		   struct ts_error *err);

#endif
