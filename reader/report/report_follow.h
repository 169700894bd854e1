/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first part of `report --follow`: it waits until the recording ends. If standard output is a
 * terminal, it shows meanwhile the rows of the samples so far, redrawn once a second.
 *
 *	step of follow.h -> its samples added to the stacks -> rows -> those that fit on the screen
 *
 * The report after that is made from the beginning, so it equals `report` on the complete capture.
 *
 * Threads: main thread only; counting uses several.
 */
#ifndef TS_READER_REPORT_REPORT_FOLLOW_H
#define TS_READER_REPORT_REPORT_FOLLOW_H

#include <stdbool.h>

#include "reader/report/report_options.h"
#include "reader/runtime/progress.h"
#include "reader/runtime/memory.h"

struct report_followed {
	bool is_misuse;	  /* it failed because of the command line */
	bool was_running; /* the capture was being recorded at the beginning */
	bool was_shown;	  /* if it was stopped, the rows on the screen are the report */
};

/*
 * Returns when the recording has ended or the progress is stopped. Until then it prints only the
 * rows on the screen. It closes everything that it has opened. Returns 0 or -errno.
 */
int report_follow(const struct report_options *options, struct memory *memory,
		  struct progress *progress, unsigned int nr_workers, struct report_followed *ret,
		  struct ts_error *err);

#endif
