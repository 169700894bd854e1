/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `report --follow` does before it prints a report: it waits until nobody records the capture
 * any more, and shows meanwhile, where standard output is a terminal, the rows of what has come so
 * far, drawn anew once a second.
 *
 *	step of follow.h -> its samples added to the stacks -> rows -> as many as the screen has room for
 *
 * The report that comes then is made as if nothing had been followed, so it is what `report` prints
 * of the complete capture.
 *
 * Threads: main thread only; counting uses several.
 */
#ifndef TS_READER_REPORT_REPORT_FOLLOW_H
#define TS_READER_REPORT_REPORT_FOLLOW_H

#include <stdbool.h>

#include "reader/report/report_options.h"
#include "reader/runtime/progress.h"
#include "reader/runtime/spill.h"

struct report_followed {
	bool is_misuse;	  /* of the command line: why it failed */
	bool was_running; /* when it began */
	bool was_shown;	  /* if it was stopped, what it has shown stays as the report */
};

/*
 * Returns when nobody records any more, or the progress is stopped; until then nothing is printed but
 * what is shown. Everything that it has opened is closed again.
 */
int report_follow(const struct report_options *options, struct spill *spill,
		  struct progress *progress, unsigned int nr_workers, struct report_followed *ret,
		  struct ts_error *err);

#endif
